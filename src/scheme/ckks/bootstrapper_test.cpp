#include "scheme/ckks/bootstrapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "scheme/ckks/testing.h"

namespace tacit::scheme::ckks {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using testing::Party;

/// The chain of S8 on a small ring.
params::CkksLiteral small_s8(int log_n) {
  params::CkksLiteral literal = params::named_literal("S8");
  literal.name = "small S8";
  literal.log_n = log_n;
  literal.insecure = true;
  return literal;
}

rlwe::KeyManifest manifest_of(const params::BootstrapSchedule& schedule) {
  const params::BootstrapKeyNeeds needs = params::key_needs(schedule);
  return {.relinearise_level = needs.relinearise_level,
          .conjugate_level = needs.conjugate_level,
          .raise_level = needs.raise_level,
          .rotations = needs.rotations};
}

double bits(double error) { return -std::log2(error); }

TEST(Bootstrapper, RefreshesRealSlots) {
  const params::CkksLiteral literal = small_s8(10);
  const params::BootstrapSchedule schedule = params::plan_bootstrap(literal);
  const Party party(literal, manifest_of(schedule));
  const Bootstrapper bootstrapper(party.context, schedule);
  const auto z = party.random(1);
  const Ciphertext fresh = party.encrypt(z, schedule.chain.input, party.scale());
  const Ciphertext result = bootstrapper.bootstrap(party.evaluator, fresh);
  EXPECT_EQ(result.level, 11);
  EXPECT_EQ(result.scale, party.scale());
  std::vector<double> expected;
  for (const double value : z) expected.push_back(schedule.result(value));
  EXPECT_GT(bits(testing::max_error(party.decrypt(result), expected)), 20);
}

}  // namespace
}  // namespace tacit::scheme::ckks
