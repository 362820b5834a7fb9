#include "tensor/session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "layout/operators/movement.h"
#include "params/requirement.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "scheme/ckks/keys.h"

namespace tacit {
namespace {

using layout::Index;
using program::ArrayPtr;
using program::View;
using tensor::Session;

View view(const ArrayPtr& array) { return View::whole(array); }

/// One computation with every operation, on any reading. Two arrays of four tiles in, slots out.
std::vector<ArrayPtr> everything(Session& e) {
  const Index slots = e.slots();
  const auto values = [slots](unsigned seed) {
    return [slots, seed](Index tile) {
      std::mt19937 random(seed * 100 + static_cast<unsigned>(tile));
      std::vector<double> x(static_cast<std::size_t>(slots));
      for (double& v : x) v = static_cast<double>(random() % 2001) / 1000 - 1;
      return x;
    };
  };
  const auto a = view(e.encrypt(4, values(1), 3)), b = view(e.encrypt(4, values(2), 3));
  const std::int64_t steps[] = {1, 2, 3, -5};
  std::vector<ArrayPtr> results{e.add(a, b),
                                e.subtract(a, b),
                                e.multiply_sum(a, b, 2),
                                e.sum(a, 4),
                                e.multiply_plain_sum(a, view(e.encode_factor(4, values(3), 3)), 4),
                                e.add_plain(a, view(e.encode_addend(4, values(4), 3))),
                                e.rotate(a, -7),
                                e.rotate_sum(a, steps),
                                e.drop(a, 1)};
  const auto product = view(results[2]), lowered = view(e.drop(a, 2));
  View two = lowered;
  two.extents[0] = 2;
  two.offset = 1;
  results.push_back(e.add(product, two));
  const layout::Layout in({2, slots}, {{0, 2, 1, ""}}, {{1, slots, 1, ""}}, {});
  const layout::Layout out({slots, 2}, {{0, 2, slots / 2, ""}}, {{1, 2, 1, ""}, {0, slots / 2, 1, ""}}, {});
  std::vector<Index> source;
  for (Index i = 0; i < 2 * slots; ++i) source.push_back(i % 2 * slots + i / 2);
  const layout::LinearMap map{in, out, std::make_shared<layout::Gather>(in.shape(), out.shape(), source)};
  results.push_back(e.linear({{product}}, {{map}}));
  results.push_back(e.multiply_sum(view(results.back()), view(results.back()), 2));
  return results;
}

struct Encrypted {
  explicit Encrypted(const params::RequiredParameters& required, const params::KeyManifest* needed)
      : context(scheme::ckks::Context::make(params::CkksParameters::check(required.literal))),
        generator(context),
        secret(generator.secret_key()),
        reading(runtime::EncryptedEvaluator::make(
            context,
            needed ? std::make_shared<const scheme::ckks::EvaluationKeys>(generator.evaluation_keys(secret, *needed))
                   : nullptr)),
        session(reading, tensor::TileLevels::of(context->parameters(), required.base_level),
                tensor::cheapest_schedules(required.literal, {})) {}

  scheme::ckks::ContextPtr context;
  scheme::ckks::KeyGenerator generator;
  scheme::ckks::SecretKey secret;
  std::shared_ptr<runtime::EncryptedEvaluator> reading;
  Session session;
};

void expect_equal_readings(const params::RequiredParameters& required, double tolerance) {
  const auto cost = tensor::cost_session(required);
  everything(*cost);
  const auto clear = tensor::clear_session(cost->slots(), cost->max_level());
  const std::vector<ArrayPtr> expected = everything(*clear);
  Encrypted encrypted(required, &cost->cost().keys);
  EXPECT_THROW(everything(encrypted.session), base::InputError);  // nothing to encrypt with
  encrypted.reading->set_secret(encrypted.secret);
  const std::vector<ArrayPtr> found = everything(encrypted.session);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t r = 0; r < found.size(); ++r) {
    EXPECT_EQ(encrypted.session.level_of(view(found[r])), expected[r]->level()) << r;
    const auto x = encrypted.session.decrypt(view(found[r]), slots::Decoding::exact),
               y = clear->decrypt(view(expected[r]), slots::Decoding::exact);
    ASSERT_EQ(x.size(), y.size()) << r;
    for (std::size_t t = 0; t < x.size(); ++t)
      for (std::size_t s = 0; s < x[t].size(); ++s)
        ASSERT_NEAR(x[t][s], y[t][s], tolerance) << r << " " << t << " " << s;
  }
}

TEST(EncryptedSession, EqualTheClearReading) { expect_equal_readings(params::parameters_for({64, 3, 40, 5, 0}), 1e-6); }

TEST(EncryptedSession, EqualTheClearReadingAboveABaseLevel) {
  const auto required = params::parameters_for({64, 3, 40, 20, 0});
  EXPECT_EQ(required.base_level, 1);
  expect_equal_readings(required, 1e-6);
}

TEST(EncryptedSession, KeepsALargeIntegerPart) {
  const auto required = params::parameters_for({64, 1, 40, 20, 0});
  Encrypted encrypted(required, nullptr);
  encrypted.reading->set_secret(encrypted.secret);
  Session& tiles = encrypted.session;
  const auto million = [](Index) { return std::vector<double>(64, 1e6); };
  const auto product = tiles.multiply_plain_sum(view(tiles.encrypt(1, million, 1)),
                                                view(tiles.encode_factor(
                                                    1, [](Index) { return std::vector<double>(64, -1); }, 1)),
                                                1);
  EXPECT_NEAR(tiles.decrypt(view(product), slots::Decoding::exact)[0][5], -1e6, 1e-3);
  EXPECT_THROW(tiles.rotate(view(product), 1), base::InputError);
}

}  // namespace
}  // namespace tacit
