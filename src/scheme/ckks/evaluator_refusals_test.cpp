#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <complex>
#include <vector>

#include "base/refusal_for_test.h"
#include "scheme/ckks/integer_polynomial.h"
#include "scheme/ckks/party_for_test.h"

// The whole words of what evaluator and encoder refuse, and what they just accept.
namespace tacit::scheme::ckks {
namespace {

using base::refusal;
using testing::max_error;
using testing::Party;
using Complex = std::complex<double>;

const char* const kTwoScales =
    "the operands have scales 2^40.000000000 and 2^41.000000000; bring them to the same scale first";

TEST(SumsOfProducts, TakeTermsOfOneLevelAndOneScaleASide) {
  const Party party(testing::small_literal(8, 3, 2), {.relinearise_level = 3, .rotations = {}});
  const Evaluator& e = party.evaluator;
  const auto x = party.random(1);
  const double scale = party.scale();
  const Ciphertext a = party.encrypt(x), low = party.encrypt(x, 2, scale), large = party.encrypt(x, 3, 2 * scale),
                   bottom = party.encrypt(x, 0, scale);
  const Plaintext p = party.encoder.encode(x, 3, scale), low_plain = party.encoder.encode(x, 2, scale),
                  large_plain = party.encoder.encode(x, 3, 2 * scale), bottom_plain = party.encoder.encode(x, 0, scale);
  using Factors = std::vector<const Ciphertext*>;
  using Plain = std::vector<const Plaintext*>;
  const auto products = [&](const Factors& left, const Factors& right) {
    return refusal([&] { e.multiply_sum(left, right); });
  };
  const auto plain_products = [&](const Factors& left, const Plain& right) {
    return refusal([&] { e.multiply_plain_sum(left, right); });
  };
  EXPECT_EQ(products({}, {}), "multiply and sum: 0 and 0 factors; as many on both sides, and at least one, are needed");
  EXPECT_EQ(products({&a, &a}, {&a}),
            "multiply and sum: 2 and 1 factors; as many on both sides, and at least one, are needed");
  EXPECT_EQ(products({&a}, {&low}),
            "multiply and sum: the operands are at levels 3 and 2; drop the higher one to the lower");
  EXPECT_EQ(products({&a, &low}, {&a, &a}),
            "multiply and sum: the operands are at levels 3 and 2; drop the higher one to the lower");
  EXPECT_EQ(products({&a, &a}, {&a, &low}),
            "multiply and sum: the operands are at levels 3 and 2; drop the higher one to the lower");
  EXPECT_EQ(products({&a, &large}, {&a, &a}), std::string("multiply and sum: ") + kTwoScales);
  EXPECT_EQ(products({&a, &a}, {&a, &large}), std::string("multiply and sum: ") + kTwoScales);
  EXPECT_EQ(products({&bottom}, {&bottom}),
            "multiply and sum: it consumes one level and its operand is at level 0; use parameters with more levels");
  EXPECT_EQ(plain_products({&a}, {}),
            "multiply by plaintexts and sum: 1 and 0 factors; as many on both sides, and at least one, are needed");
  EXPECT_EQ(plain_products({&a, &a}, {&p, &low_plain}),
            "multiply by plaintexts and sum: the operands are at levels 3 and 2; drop the higher one to the lower");
  EXPECT_EQ(plain_products({&a, &a}, {&p, &large_plain}), std::string("multiply by plaintexts and sum: ") + kTwoScales);
  EXPECT_EQ(plain_products({&bottom}, {&bottom_plain}),
            "multiply by plaintexts and sum: it consumes one level and its operand is at level 0; use parameters with "
            "more levels");

  // One term, at the lowest level that there is for it, and scales that differ between the sides.
  const Ciphertext one = party.encrypt(x, 1, scale), other = party.encrypt(x, 1, 2 * scale);
  const Plaintext one_plain = party.encoder.encode(x, 1, 2 * scale);
  std::vector<double> squares;
  for (const double v : x) squares.push_back(v * v);
  const double prime = party.context->parameters().prime(1);
  for (const Ciphertext& result :
       {e.multiply_sum(Factors{&one}, Factors{&other}), e.multiply_plain_sum(Factors{&one}, Plain{&one_plain})}) {
    EXPECT_EQ(result.level, 0);
    EXPECT_DOUBLE_EQ(result.scale, 2 * scale * scale / prime);
    EXPECT_LT(max_error(party.decrypt(result), squares), 1e-6);
  }
}

// More rotations than are divided at once, and some by nothing.
TEST(Rotations, OfOneDecompositionComeInTheOrderOfTheirSteps) {
  params::KeyManifest manifest;
  for (std::int64_t r = 1; r <= 10; ++r) manifest.rotations[r] = 2;
  const Party party(testing::small_literal(8, 3, 2), manifest);
  const auto x = party.random(1);
  const Ciphertext a = party.encrypt(x, 2, party.scale());
  for (std::size_t count = 0; count <= 10; ++count) {
    std::vector<std::int64_t> steps;
    for (std::size_t i = 0; i < count; ++i) steps.push_back(static_cast<std::int64_t>(1 + 3 * i % 10));
    steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(count / 2), {0, 128});
    const std::vector<Ciphertext> all = party.evaluator.rotate_hoisted(a, steps);
    std::vector<double> sum = x;
    ASSERT_EQ(all.size(), count + 2);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto turned = testing::rotated(x, steps[i]);
      EXPECT_LT(max_error(party.decrypt(all[i]), turned), 1e-7) << count << ", " << i;
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += turned[k];
    }
    const Ciphertext summed = party.evaluator.rotate_sum(a, steps);
    EXPECT_EQ(summed.level, 2);
    EXPECT_EQ(summed.scale, a.scale);
    EXPECT_LT(max_error(party.decrypt(summed), sum), 1e-6) << count;
  }
}

TEST(LinearMaps, MayNameADiagonalTwice) {
  const params::LinearSchedule schedule{.steps = {{1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {1, 0, 1}}, .folds = {}};
  const Party party(testing::small_literal(8, 3, 2), {.rotations = {{1, 2}}});
  std::vector<std::vector<double>> diagonals;
  for (std::uint64_t i = 0; i < 4; ++i) diagonals.push_back(party.random(10 + i));
  const DiagonalMatrix matrix = party.encoder.encode_diagonals(schedule.steps, diagonals, 2, 0x1p40, 0x1p40);
  const std::vector<const DiagonalMatrix*> blocks[] = {{&matrix}};
  const auto x = party.random(1), turned = testing::rotated(x, 1);
  const Ciphertext a = party.encrypt(x, 2, 0x1p40);
  std::vector<double> expected;
  for (std::size_t k = 0; k < x.size(); ++k)
    expected.push_back((diagonals[0][k] + diagonals[2][k] + diagonals[3][k]) * turned[k] + diagonals[1][k] * x[k]);
  EXPECT_LT(max_error(party.decrypt(party.evaluator.linear({&a, 1}, blocks, schedule)[0]), expected), 1e-6);
}

TEST(LevelDrops, EndFromZeroToTheLevelThatThereIs) {
  const Party party(testing::small_literal(6, 3, 2));
  const auto x = party.random(1);
  const Ciphertext a = party.encrypt(x, 2, party.scale());
  const auto drop = [&](int level) { return refusal([&] { party.evaluator.drop_to_level(a, level); }); };
  EXPECT_EQ(drop(-1), "drop to level: -1 is outside 0 to 2");
  EXPECT_EQ(drop(3), "drop to level: 3 is outside 0 to 2");
  for (const int level : {0, 1, 2}) {
    const Ciphertext dropped = party.evaluator.drop_to_level(a, level);
    EXPECT_EQ(dropped.level, level);
    EXPECT_EQ(dropped.c0.limbs(), static_cast<std::size_t>(level) + 1);
    EXPECT_EQ(dropped.scale, a.scale);
    EXPECT_LT(max_error(party.decrypt(dropped), x), 1e-8);
  }
}

TEST(Polynomials, MayUseTheLastLevelAndNeedKeysForProductsAlone) {
  const Party party(testing::small_literal(8, 3, 2), {.relinearise_level = 3, .rotations = {}});
  const auto x = party.random(1);
  const Ciphertext a = party.encrypt(x);
  std::vector<double> seventh(8), eighth(9), expected;
  seventh[7] = eighth[8] = 0.5;
  for (const double v : x) expected.push_back(0.5 * std::cos(7 * std::acos(v)));
  const Ciphertext result =
      party.evaluator.polynomial(a, seventh, params::PolynomialSchedule::choose(7), party.scale());
  EXPECT_EQ(result.level, 0);
  EXPECT_LT(max_error(party.decrypt(result), expected), 1e-5);
  EXPECT_EQ(
      refusal([&] { party.evaluator.polynomial(a, eighth, params::PolynomialSchedule::choose(8), party.scale()); }),
      "polynomial: degree 8 consumes 4 levels and the input is at level 3; use parameters with more levels");
  EXPECT_EQ(refusal([&] { party.evaluator.polynomial(a, seventh, params::PolynomialSchedule::choose(7), 0); }),
            "polynomial: the scale 0 is not a positive number");

  const std::vector<double> line{0.25, -0.5};
  const Evaluator keyless(party.context, nullptr);
  std::vector<double> on_line;
  for (const double v : x) on_line.push_back(0.25 - 0.5 * v);
  EXPECT_LT(max_error(party.decrypt(keyless.polynomial(a, line, params::PolynomialSchedule::choose(1), party.scale())),
                      on_line),
            1e-6);
  const Party shallow(testing::small_literal(8, 3, 2), {.relinearise_level = 2, .rotations = {}});
  EXPECT_EQ(refusal([&] {
              shallow.evaluator.polynomial(shallow.encrypt(x), seventh, params::PolynomialSchedule::choose(7),
                                           shallow.scale());
            }),
            "polynomial: the relinearisation key reaches up to level 2, but it is needed at level 3");
}

TEST(Polynomials, OfConstantsAreTheRoundedNumberItself) {
  const Party party(testing::small_literal(6, 3, 2));
  const Ciphertext a = party.encrypt(party.random(1), 2, party.scale());
  const auto constant = [&](double value) {
    return party.evaluator.polynomial(a, std::vector<double>{value}, params::PolynomialSchedule::choose(0), 0x1p40);
  };
  for (const auto& [value, integer] : {std::pair<double, std::int64_t>{0.75, std::int64_t{3} << 38},
                                       {-0.75, -(std::int64_t{3} << 38)},
                                       {0x1.8p-41, 1},
                                       {-0x1.8p-41, -1},
                                       {0x1.8p-42, 0}}) {
    const Ciphertext result = constant(value);
    ASSERT_EQ(result.level, 2);
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t k = 0; k < 64; ++k) {
        ASSERT_EQ(result.c0.limb(row)[k], party.context->chain().modulus(row).reduce_signed(integer)) << value;
        ASSERT_EQ(result.c1.limb(row)[k], 0u);
      }
  }
  EXPECT_EQ(refusal([&] { constant(1e30); }), "polynomial: the coefficient 1e+30 at scale 2^40.0 is too large");
}

// Constants in both halves of a ciphertext: what rescaling leaves of them is known to the last unit.
TEST(Rescaling, RoundsToTheNearest) {
  const Party party(testing::small_literal(6, 3, 2));
  const rlwe::ModulusChain& chain = party.context->chain();
  const auto last = static_cast<std::int64_t>(chain.modulus(1).value());
  for (const std::int64_t quotient : {0, 1, -1, 12345, -12345})
    for (const auto& [rest, more] : {std::pair<std::int64_t, std::int64_t>{0, 0},
                                     {1, 0},
                                     {-1, 0},
                                     {(last - 1) / 2, 0},
                                     {-(last - 1) / 2, 0},
                                     {(last + 1) / 2, 1},
                                     {last - 1, 1}}) {
      Ciphertext x = party.encrypt(std::vector<double>{}, 1, 0x1p50);
      for (std::size_t row = 0; row < 2; ++row) {
        const ring::Modulus& q = chain.modulus(row);
        std::ranges::fill(x.c0.limb_span(row), q.reduce_signed(quotient * last + rest));
        std::ranges::fill(x.c1.limb_span(row), q.reduce_signed(-quotient * last - rest));
      }
      const Ciphertext y = party.evaluator.rescale(x);
      EXPECT_EQ(y.level, 0);
      EXPECT_DOUBLE_EQ(y.scale, 0x1p50 / static_cast<double>(last));
      for (std::size_t k = 0; k < 64; ++k) {
        ASSERT_EQ(y.c0.limb(0)[k], chain.modulus(0).reduce_signed(quotient + more)) << quotient << ", " << rest;
        ASSERT_EQ(y.c1.limb(0)[k], chain.modulus(0).reduce_signed(-quotient - more)) << quotient << ", " << rest;
      }
    }
}

TEST(EncodedDiagonals, HaveStepsAndValuesOfTheSlots) {
  const Party party(testing::small_literal(8, 3, 2));
  const auto encode = [&](std::vector<params::DiagonalStep> steps, const std::vector<std::size_t>& sizes,
                          int level = 1) {
    std::vector<std::vector<double>> diagonals;
    for (const std::size_t size : sizes) diagonals.emplace_back(size, 0.5);
    return refusal([&] { party.encoder.encode_diagonals(steps, diagonals, level, 0x1p40, 0x1p40); });
  };
  for (const std::size_t size : {0, 1, 2, 64, 128})
    EXPECT_EQ(encode({{3, 127, 4}, {127, 127, 0}, {127, 0, 127}}, {size, size, size}), base::kNotRefused) << size;
  EXPECT_EQ(encode({{0, 0, 0}, {128, 128, 0}}, {1, 1}), "linear map: step 1 has a rotation of 128, outside 0 to 127");
  EXPECT_EQ(encode({{0, 128, 0}}, {1}), "linear map: step 0 has a rotation of 128, outside 0 to 127");
  EXPECT_EQ(encode({{0, 0, 128}}, {1}), "linear map: step 0 has a rotation of 128, outside 0 to 127");
  EXPECT_EQ(encode({{0, -1, 1}}, {1}), "linear map: step 0 has a rotation of -1, outside 0 to 127");
  EXPECT_EQ(encode({{5, 1, 4}, {3, 1, 1}}, {1, 1}), "linear map: step 1: baby 1 + giant 1 is not the diagonal 3");
  for (const std::size_t size : {3, 127, 256})
    EXPECT_EQ(encode({{5, 1, 4}}, {size}),
              fmt::format("linear map: diagonal 5 has {} values; a power of two up to 128 slots, or none, is expected",
                          size));
  EXPECT_EQ(encode({{5, 1, 4}}, {1, 1}), "linear map: 2 diagonals for 1 steps of the schedule");
  EXPECT_EQ(encode({{5, 1, 4}}, {1}, 0), "linear map: it consumes one level, so its input must be at level 1 or above");
  EXPECT_EQ(encode({{5, 1, 4}}, {1}, 3), base::kNotRefused);
  EXPECT_EQ(encode({{5, 1, 4}}, {1}, 4), "linear map: level 4 is outside 0 to 3");
}

TEST(EncodedDiagonals, KeepTheirDistinctWords) {
  const Party party(testing::small_literal(8, 3, 2));
  const std::vector<params::DiagonalStep> steps{{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}};
  std::vector<std::vector<Complex>> diagonals{
      std::vector<Complex>(1, 0.5), std::vector<Complex>(2, 0.5), {}, std::vector<Complex>(128, 0.5)};
  const DiagonalMatrix matrix = party.encoder.encode_diagonals(steps, diagonals, 2, 0x1p40, 0x1p40);
  const std::size_t rows = party.context->chain().extended_rows(2);
  const std::size_t blocks[] = {128, 64, 0, 1}, words[] = {2, 4, 0, 256};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(matrix.diagonals[i].block, blocks[i]);
    EXPECT_EQ(matrix.diagonals[i].rows.n(), words[i]);
    EXPECT_EQ(matrix.diagonals[i].rows.limbs(), words[i] == 0 ? 0 : rows);
  }
  EXPECT_EQ(matrix.bytes(), (2 + 4 + 256) * rows * 8);
  EXPECT_EQ(DiagonalMatrix{}.bytes(), 0u);
}

TEST(EncodedDiagonals, OfRealMatricesAreHalvedWhereARowHasTwoStrips) {
  const int strip = std::countr_zero(rlwe::Automorphism::kStrip);
  const auto mirrors = [](int log_n, bool real_slots) {
    params::CkksLiteral literal = testing::small_literal(log_n, 1, 1);
    literal.real_slots = real_slots;
    return DiagonalMatrix::mirrors(params::CkksParameters::check(literal));
  };
  EXPECT_FALSE(mirrors(strip, false));
  EXPECT_TRUE(mirrors(strip + 1, false));
  EXPECT_TRUE(mirrors(strip + 2, false));
  EXPECT_FALSE(mirrors(strip + 2, true));
}

class LinearMapRefusals : public ::testing::Test {
 protected:
  std::string map(const std::vector<Ciphertext>& inputs, std::vector<std::vector<const DiagonalMatrix*>> blocks) const {
    return refusal([&] { party_.evaluator.linear(inputs, blocks, schedule_); });
  }
  DiagonalMatrix matrix(double target, double in_scale = 0x1p40) const {
    return party_.encoder.encode_diagonals(schedule_.steps, std::vector<std::vector<double>>(2, {0.5}), 2, in_scale,
                                           target);
  }
  const params::LinearSchedule schedule_{.steps = {{0, 0, 0}, {1, 1, 0}}, .folds = {}};
  const Party party_{testing::small_literal(10, 3, 2), {.rotations = {{1, 2}}}};
  const std::vector<double> values_ = party_.random(1);
  const Ciphertext x_ = party_.encrypt(values_, 2, 0x1p40);
  const DiagonalMatrix good_ = matrix(0x1p40);
};

TEST_F(LinearMapRefusals, NameWhatDoesNotMatch) {
  EXPECT_EQ(map({x_}, {{&good_}}), base::kNotRefused);
  EXPECT_EQ(map({}, {{&good_}}), "linear map: there are no inputs");
  EXPECT_EQ(map({x_, x_}, {{&good_}}), "linear map: an output has 1 blocks for 2 inputs");
  EXPECT_EQ(map({x_}, {{&good_}, {&good_, &good_}}), "linear map: an output has 2 blocks for 1 inputs");
  EXPECT_EQ(map({x_, party_.encrypt(values_, 1, 0x1p40)}, {{&good_, &good_}}),
            "linear map: the operands are at levels 2 and 1; drop the higher one to the lower");
  EXPECT_EQ(map({x_, party_.encrypt(values_, 2, 0x1p41)}, {{&good_, &good_}}),
            std::string("linear map: ") + kTwoScales);
  EXPECT_EQ(map({party_.encrypt(values_, 0, 0x1p40)}, {{&good_}}),
            "linear map: it consumes one level and its operand is at level 0; use parameters with more levels");
  EXPECT_EQ(map({x_}, {{nullptr}, {nullptr}}), "linear map: it has no block");
  const DiagonalMatrix larger = matrix(0x1p41), from_larger = matrix(0x1p40, 0x1p41);
  EXPECT_EQ(map({x_, x_}, {{&good_, &larger}}), std::string("linear map: ") + kTwoScales);
  EXPECT_EQ(map({x_}, {{&from_larger}}), std::string("linear map: ") + kTwoScales);
  const DiagonalMatrix complex = party_.encoder.encode_diagonals(
      schedule_.steps, std::vector<std::vector<Complex>>(2, {Complex(0.5)}), 2, 0x1p40, 0x1p40);
  ASSERT_TRUE(good_.mirrored);
  EXPECT_EQ(map({x_, x_}, {{&good_, &complex}}),
            "linear map: some blocks were encoded as real matrices and some as complex ones");
}

TEST_F(LinearMapRefusals, AnOutputWithoutBlocksIsZeroAndFoldsByNothingDouble) {
  const std::vector<std::vector<const DiagonalMatrix*>> blocks{{nullptr}, {&good_}};
  params::LinearSchedule folding = schedule_;
  folding.folds = {0, 512};  // no key is needed
  const std::vector<Ciphertext> y = party_.evaluator.linear(std::vector{x_}, blocks, folding);
  ASSERT_EQ(y.size(), 2u);
  const auto turned = testing::rotated(values_, 1);
  std::vector<double> expected;
  for (std::size_t k = 0; k < values_.size(); ++k) expected.push_back(4 * 0.5 * (values_[k] + turned[k]));
  EXPECT_LT(max_error(party_.decrypt(y[1]), expected), 1e-5);
  for (std::size_t row = 0; row < y[0].c0.limbs(); ++row)
    for (const ring::NttPoly* half : {&y[0].c0, &y[0].c1})
      EXPECT_TRUE(std::ranges::all_of(half->limb_span(row), [](std::uint64_t word) { return word == 0; }));
}

TEST_F(LinearMapRefusals, OfRaisedCiphertextsNameStepsRowsAndKeys) {
  const auto map_raised = [&](const params::DiagonalStep& step, std::size_t n, std::size_t rows) {
    const params::LinearSchedule schedule{.steps = {step}, .folds = {}};
    const DiagonalMatrix raised = party_.encoder.encode_raised_diagonals(
        schedule.steps, std::vector<std::vector<Complex>>(1, {Complex(0.5)}), 2, 0x1p40, 0x1p40);
    const RaisedCiphertext x{.lifted = x_, .special = ring::NttPoly(n, rows)};
    return refusal([&] { party_.evaluator.raised_linear(x, raised, schedule); });
  };
  EXPECT_EQ(map_raised({8, 0, 8}, 1024, 1),
            "linear map: the rotations of a raised ciphertext are baby steps, and its schedule has others");
  for (const auto& [n, rows] : {std::pair<std::size_t, std::size_t>{512, 1}, {1024, 2}})
    EXPECT_EQ(map_raised({1, 1, 0}, n, rows), "linear map: the raised ciphertext has no rows of the special primes");
  EXPECT_EQ(map_raised({1, 1, 0}, 1024, 1),
            "linear map: the bootstrapping rotation-by-1 key is missing (needed at level 2)");
}

TEST(IntegerPolynomialMagnitudes, AreExactBelowTwoToTheSixtyTwo) {
  const ring::Modulus q((std::uint64_t{1} << 40) - 87);
  const std::vector<double> c = {0x1.8p61, 1, 3, -1, -3, 0, -0x1.8p61, 5};
  const IntegerPolynomial p(c);
  EXPECT_DOUBLE_EQ(p.log2_magnitude(), 61 + std::log2(1.5));
  std::vector<std::uint64_t> out(8);
  p.reduce(out, q);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(out[i], q.reduce_signed(static_cast<std::int64_t>(c[i]))) << i;
  EXPECT_EQ(IntegerPolynomial(std::vector<double>(8)).log2_magnitude(), -1);
  EXPECT_EQ(IntegerPolynomial(std::vector<double>(8, 0.25)).log2_magnitude(), -1);
  EXPECT_EQ(IntegerPolynomial(std::vector<double>(8, -0.5)).log2_magnitude(), -1);
  EXPECT_EQ(IntegerPolynomial(std::vector<double>(8, -4.0)).log2_magnitude(), 2);
}

// Of three primes, over more numbers than are done together.
TEST(CentredNumbers, ComeBackFromEveryResidue) {
  const std::vector<ring::Modulus> primes = {ring::Modulus(97), ring::Modulus(193), ring::Modulus(257)};
  constexpr std::int64_t kProduct = std::int64_t{97} * 193 * 257, kHalf = (kProduct - 1) / 2;
  std::vector<std::int64_t> numbers;
  for (std::int64_t k = 0; k < 600; ++k) numbers.push_back(-kHalf + k * (kProduct - 1) / 599);
  std::vector<std::vector<std::uint64_t>> residues(3);
  std::vector<const std::uint64_t*> limbs;
  for (std::size_t i = 0; i < 3; ++i) {
    for (const std::int64_t v : numbers) residues[i].push_back(primes[i].reduce_signed(v));
    limbs.push_back(residues[i].data());
  }
  std::vector<double> out(numbers.size());
  centred_to_double(limbs, primes, out);
  for (std::size_t k = 0; k < numbers.size(); ++k) EXPECT_EQ(out[k], static_cast<double>(numbers[k])) << k;
}

TEST(DecodingNoiseSteps, AreSixteenthsOfABitAndRoundUp) {
  const Party party(testing::small_literal(6, 3, 2));
  const Ciphertext ciphertext = party.encrypt(party.random(1));
  const auto noise = [&](double log2_deviation) {
    std::vector<Complex> slots(party.slots());
    party.decryptor.noise().add_to(slots, ciphertext, std::exp2(log2_deviation));
    return slots;
  };
  for (const int step : {-320, -1, 1, 7}) {
    const double whole = step / 16.0;
    EXPECT_EQ(noise(whole - 0.005), noise(whole)) << step;
    EXPECT_EQ(noise(whole - 0.06), noise(whole)) << step;
    EXPECT_NE(noise(whole - 0.065), noise(whole)) << step;
    EXPECT_NE(noise(whole + 0.001), noise(whole)) << step;
  }
}

}  // namespace
}  // namespace tacit::scheme::ckks
