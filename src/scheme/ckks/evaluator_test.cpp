#include "scheme/ckks/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "scheme/ckks/party_for_test.h"

namespace tacit::scheme::ckks {
namespace {

using ::testing::HasSubstr;
using testing::kPrecision;
using testing::manifest;
using testing::max_error;
using testing::Party;
using testing::rotated;
using ::testing::ThrowsMessage;

class EvaluatorTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::vector<std::int64_t> rotations = {3, 511};
    for (std::int64_t r = 1; r < 512; r *= 2) {
      rotations.push_back(r);
      rotations.push_back(512 - r);
    }
    party_ = new Party(testing::small_literal(), manifest(4, rotations));
  }
  static void TearDownTestSuite() {
    delete party_;
    party_ = nullptr;
  }
  static const Party& party() { return *party_; }
  static Party* party_;
};
Party* EvaluatorTest::party_ = nullptr;

TEST_F(EvaluatorTest, AddsSubtractsAndNegates) {
  const auto x = party().random(1), y = party().random(2);
  const Ciphertext a = party().encrypt(x), b = party().encryptor.encrypt(party().encoder.encode(y, 4, party().scale()));
  std::vector<double> sum, difference, negative;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum.push_back(x[i] + y[i]);
    difference.push_back(x[i] - y[i]);
    negative.push_back(-x[i]);
  }
  const Evaluator& e = party().evaluator;
  EXPECT_LT(max_error(party().decrypt(e.add(a, b)), sum), kPrecision);
  EXPECT_LT(max_error(party().decrypt(e.sub(a, b)), difference), kPrecision);
  EXPECT_LT(max_error(party().decrypt(e.negate(a)), negative), kPrecision);
  EXPECT_LT(max_error(party().decrypt(e.add_plain(a, party().encoder.encode(y, 4, party().scale()))), sum), kPrecision);
  Ciphertext c = a;
  e.add_in_place(c, b);
  EXPECT_LT(max_error(party().decrypt(c), sum), kPrecision);
  EXPECT_FALSE(c.c1_seed.has_value());
}

TEST_F(EvaluatorTest, MultipliesAtEveryLevel) {
  const auto x = party().random(3), y = party().random(4);
  std::vector<double> product, square;
  for (std::size_t i = 0; i < x.size(); ++i) {
    product.push_back(x[i] * y[i]);
    square.push_back(x[i] * x[i]);
  }
  const Evaluator& e = party().evaluator;
  for (int level = 1; level <= party().top(); ++level) {
    const Ciphertext a = party().encrypt(x, level, party().scale()), b = party().encrypt(y, level, party().scale());
    const Ciphertext c = e.multiply(a, b);
    EXPECT_EQ(c.level, level - 1);
    EXPECT_EQ(c.scale, a.scale * b.scale / static_cast<double>(party().context->parameters().q()[level]));
    EXPECT_LT(max_error(party().decrypt(c), product), kPrecision) << level;
    EXPECT_LT(max_error(party().decrypt(e.square(a)), square), kPrecision) << level;
    const Plaintext p = party().encoder.encode(y, level, party().scale());
    EXPECT_LT(max_error(party().decrypt(e.rescale(e.multiply_plain(a, p))), product), kPrecision) << level;
    EXPECT_LT(max_error(party().decrypt(e.multiply_plain_rescale(a, p)), product), kPrecision) << level;
  }
}

TEST_F(EvaluatorTest, MultipliesExtremeValues) {
  // 2^9 is the largest value that fits q_0 at scale 2^40; products of 2^4 and 2^5 reach it.
  std::vector<double> x(party().slots()), y(party().slots()), product;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = i % 2 == 0 ? 16 : -16;
    y[i] = i % 3 == 0 ? 31 : i % 3 == 1 ? 0 : -31;
    product.push_back(x[i] * y[i]);
  }
  const Ciphertext c =
      party().evaluator.multiply(party().encrypt(x, 1, party().scale()), party().encrypt(y, 1, party().scale()));
  EXPECT_LT(max_error(party().decrypt(c), product), 32 * kPrecision);
}

TEST_F(EvaluatorTest, ConsumesEveryLevel) {
  const auto x = party().random(5);
  std::vector<double> expected = x;
  Ciphertext c = party().encrypt(x);
  for (int level = party().top(); level > 0; --level) {
    c = party().evaluator.square(c);
    for (double& v : expected) v *= v;
  }
  EXPECT_EQ(c.level, 0);
  EXPECT_LT(max_error(party().decrypt(c), expected), 10 * kPrecision);
}

TEST_F(EvaluatorTest, RotatesByEveryPowerOfTwoBothWays) {
  const auto x = party().random(6);
  for (const int level : {4, 3, 0}) {
    const Ciphertext a = party().encrypt(x, level, party().scale());
    for (std::int64_t r = 1; r < 512; r *= 2) {
      EXPECT_LT(max_error(party().decrypt(party().evaluator.rotate(a, r)), rotated(x, r)), kPrecision) << r;
      EXPECT_LT(max_error(party().decrypt(party().evaluator.rotate(a, -r)), rotated(x, -r)), kPrecision) << r;
    }
    EXPECT_LT(max_error(party().decrypt(party().evaluator.rotate(a, 512 + 3)), rotated(x, 3)), kPrecision);
    EXPECT_LT(max_error(party().decrypt(party().evaluator.rotate(a, 0)), x), kPrecision);
  }
}

TEST_F(EvaluatorTest, Conjugates) {
  std::vector<std::complex<double>> z(party().slots());
  const auto re = party().random(7), im = party().random(8);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = {re[i], im[i]};
  const auto c =
      party().evaluator.conjugate(party().symmetric.encrypt(party().encoder.encode(z, party().top(), party().scale())));
  const auto out = party().decrypt_complex(c);
  for (std::size_t i = 0; i < z.size(); ++i) EXPECT_LT(std::abs(out[i] - std::conj(z[i])), kPrecision);
}

TEST_F(EvaluatorTest, HoistedRotationsEqualPlainOnes) {
  const Ciphertext a = party().encrypt(party().random(9), 3, party().scale());
  const std::int64_t steps[] = {1, 0, -4, 256};
  const auto hoisted = party().evaluator.rotate_hoisted(a, steps);
  for (std::size_t i = 0; i < std::size(steps); ++i) {
    const Ciphertext plain = party().evaluator.rotate(a, steps[i]);
    for (std::size_t row = 0; row < plain.c0.limbs(); ++row) {
      EXPECT_TRUE(std::ranges::equal(plain.c0.limb_span(row), hoisted[i].c0.limb_span(row)));
      EXPECT_TRUE(std::ranges::equal(plain.c1.limb_span(row), hoisted[i].c1.limb_span(row)));
    }
  }
}

TEST_F(EvaluatorTest, DropsLevels) {
  const auto x = party().random(10);
  const Ciphertext c = party().evaluator.drop_to_level(party().encrypt(x), 1);
  EXPECT_EQ(c.level, 1);
  EXPECT_LT(max_error(party().decrypt(c), x), kPrecision);
}

TEST_F(EvaluatorTest, RefusesMismatchesBeforeAnyWork) {
  const auto x = party().random(11);
  const Evaluator& e = party().evaluator;
  const Ciphertext a = party().encrypt(x), low = party().encrypt(x, 2, party().scale()),
                   bottom = party().encrypt(x, 0, party().scale()), other = party().encrypt(x, 4, party().scale() / 2);
  const auto refuses = [](const auto& call, const char* reason) {
    EXPECT_THAT(call, ThrowsMessage<base::InputError>(HasSubstr(reason)));
  };
  refuses([&] { e.add(a, low); }, "levels 4 and 2");
  refuses([&] { e.multiply(a, low); }, "levels 4 and 2");
  refuses([&] { e.add(a, other); }, "scales 2^40.000000000 and 2^39.000000000");
  refuses([&] { e.sub(a, low); }, "subtract: the operands are at levels 4 and 2");
  refuses([&] { e.sub(a, other); }, "subtract: the operands have scales");
  Ciphertext sum = a;
  refuses([&] { e.add_in_place(sum, low); }, "levels 4 and 2");
  // As many slots as another ring has.
  Ciphertext narrow = a;
  narrow.c1 = ring::NttPoly(party().context->parameters().n() / 2, 5);
  refuses([&] { e.add(a, narrow); }, "a polynomial of 5 limbs of 512 words does not fit level 4 of N = 1024");
  refuses([&] { e.conjugate(narrow); }, "does not fit level 4");
  refuses([&] { e.multiply(bottom, bottom); }, "at level 0");
  refuses([&] { e.rescale(bottom); }, "at level 0");
  refuses([&] { e.drop_to_level(low, 3); }, "3 is outside 0 to 2");
  refuses([&] { e.rotate(a, 7); }, "rotate: the rotation-by-7 key is missing (needed at level 4)");
  refuses([&] { Evaluator(party().context, nullptr).square(a); }, "no evaluation keys");

  params::KeyManifest shallow{.relinearise_level = 1, .conjugate_level = -1, .rotations = {{1, 2}}};
  const auto keys = std::make_shared<const EvaluationKeys>(party().generator.evaluation_keys(party().secret, shallow));
  EXPECT_EQ(keys->manifest(), shallow);
  const Evaluator limited(party().context, keys);
  refuses([&] { limited.rotate(a, 1); }, "the rotation-by-1 key reaches up to level 2, but it is needed at level 4");
  refuses([&] { limited.square(low); }, "the relinearisation key reaches up to level 1");
  refuses([&] { limited.conjugate(low); }, "conjugate: the conjugation key is missing");
  EXPECT_LT(max_error(party().decrypt(limited.rotate(low, 1)), rotated(x, 1)), kPrecision);

  const Party stranger(testing::small_literal(10, 3));
  EXPECT_THROW(e.add(a, stranger.encrypt(x)), base::KeyMismatch);
  EXPECT_THROW(Evaluator(party().context, stranger.keys), base::KeyMismatch);
  EXPECT_THROW(Decryptor(party().context, stranger.secret), base::KeyMismatch);
  EXPECT_THROW(Encryptor(party().context, stranger.public_key), base::KeyMismatch);
  refuses([&] { party().generator.evaluation_keys(party().secret, {.rotations = {{512, 1}}}); }, "outside 1 to 511");
  refuses([&] { party().generator.evaluation_keys(party().secret, {.rotations = {{1, 5}}}); }, "level 5 is outside");
}

TEST(EvaluatorSecure, WorksAtRealParameters) {
  const std::int64_t rotations[] = {5};
  const Party party(params::named_literal("N14-d7"), manifest(7, rotations));
  EXPECT_EQ(party.context->parameters().security_bits(), 128);
  const auto x = party.random(1), y = party.random(2);
  const Ciphertext a = party.encryptor.encrypt(party.encoder.encode(x, 7, party.scale()));
  std::vector<double> expected = rotated(x, 5);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] *= y[i];
  const Ciphertext c = party.evaluator.multiply(party.evaluator.rotate(a, 5), party.encrypt(y));
  EXPECT_LT(max_error(party.decrypt(c), expected), 1e-5);
}

TEST_F(EvaluatorTest, SumsProductsWithOneRelinearisationAndRotationsWithOneDivision) {
  const Evaluator& e = party().evaluator;
  std::vector<Ciphertext> a, b;
  std::vector<Plaintext> p;
  std::vector<double> sum(party().slots());
  std::vector<std::vector<double>> values;
  for (unsigned i = 0; i < 6; ++i) {
    values.push_back(party().random(20 + i));
    a.push_back(party().encrypt(values.back()));
    const auto y = party().random(40 + i);
    b.push_back(party().encrypt(y));
    p.push_back(party().encoder.encode(y, party().top(), party().scale()));
    for (std::size_t s = 0; s < sum.size(); ++s) sum[s] += values.back()[s] * y[s];
  }
  std::vector<const Ciphertext*> left, right;
  std::vector<const Plaintext*> plain;
  for (std::size_t i = 0; i < a.size(); ++i) {
    left.push_back(&a[i]);
    right.push_back(&b[i]);
    plain.push_back(&p[i]);
  }
  EXPECT_LT(max_error(party().decrypt(e.multiply_sum(left, right)), sum), kPrecision);
  EXPECT_LT(max_error(party().decrypt(e.multiply_plain_sum(left, plain)), sum), kPrecision);
  EXPECT_EQ(e.multiply_sum(left, right).level, party().top() - 1);
  left.pop_back();
  EXPECT_THROW(e.multiply_sum(left, right), base::InputError);
  EXPECT_THROW(e.multiply_sum({}, {}), base::InputError);

  const std::vector<std::int64_t> steps{1, 2, 3, -4, 0};
  std::vector<double> turned = values[0];
  for (const std::int64_t step : steps) {
    const auto part = rotated(values[0], step);
    for (std::size_t s = 0; s < turned.size(); ++s) turned[s] += part[s];
  }
  EXPECT_LT(max_error(party().decrypt(e.rotate_sum(a[0], steps)), turned), kPrecision);
  EXPECT_LT(max_error(party().decrypt(e.rotate_sum(a[0], std::vector<std::int64_t>{})), values[0]), kPrecision);
  auto once = rotated(values[0], 3);
  for (std::size_t s = 0; s < once.size(); ++s) once[s] += values[0][s];
  EXPECT_LT(max_error(party().decrypt(e.rotate_sum(a[0], std::vector<std::int64_t>{3})), once), kPrecision);
  EXPECT_THROW(e.rotate_sum(a[0], std::vector<std::int64_t>{7}), base::InputError);
  EXPECT_THROW(e.rotate_sum(a[0], std::vector<std::int64_t>{1, 7}), base::InputError);
}

}  // namespace
}  // namespace tacit::scheme::ckks
