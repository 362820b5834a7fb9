#include "scheme/tfhe/rounding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "params/tfhe_noise.h"
#include "params/tfhe_solver.h"
#include "scheme/tfhe/party_for_test.h"

namespace tacit::scheme::tfhe {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Messages of six bits to three, at parameters that tell each of the three bits but for 2^-128.
TEST(Rounding, IsThatOfIntegers) {
  constexpr int kBits = 6, kDropped = 3, kStep = 63 - kBits, kCount = 64;
  const std::vector<params::LookupRequirement> asked{
      {.layer = "table", .bits = kBits - kDropped, .norm2 = 2},
      {.layer = "lowest bit", .norm2 = 64 * std::sqrt(2.0), .fresh_norm2 = 64, .sign = true}};
  const testing::Party party(params::solve(asked));
  std::vector<Torus> messages;
  for (std::int64_t m = 0; m < kCount; ++m) messages.push_back(static_cast<Torus>(m) << kStep);
  const LweCiphertexts rounded = round_off(party.evaluator, party.encryptor.encrypt(messages), kStep, kDropped);
  const std::vector<Torus> phases = party.decryptor.phases(rounded);
  // What is left lies at multiples of 2^(step + dropped), with the noise of three bootstraps and an encryption.
  const params::LookupShape& shape = party.context->parameters().shape();
  const double deviation = std::sqrt(kDropped * params::bootstrap_variance(shape) + shape.glwe_variance);
  std::vector<double> errors;
  for (std::size_t m = 0; m < phases.size(); ++m) {
    const Torus expected = static_cast<Torus>((m + 4) / 8) << (kStep + kDropped);
    errors.push_back(testing::difference(phases[m], expected));
    ASSERT_LT(std::abs(errors.back()), 8 * deviation) << m;
  }
  EXPECT_NEAR(testing::mean_square(errors) / (deviation * deviation), 1, testing::chi_square_interval(kCount));
}

TEST(Rounding, RefusesBitsThatAreNotThere) {
  const testing::Party party(params::named_tfhe_literal("T2"));
  const LweCiphertexts inputs = party.encryptor.encrypt(std::vector<Torus>{0});
  for (const auto& [step, dropped] : {std::pair{0, 2}, {62, 2}, {40, 0}})
    EXPECT_THAT([&] { round_off(party.evaluator, inputs, step, dropped); },
                ThrowsMessage<base::InputError>(HasSubstr("do not lie between")));
}

}  // namespace
}  // namespace tacit::scheme::tfhe
