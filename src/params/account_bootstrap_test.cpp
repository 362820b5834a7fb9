#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "params/account.h"
#include "params/key_switch_primes.h"
#include "params/small_ring_for_test.h"
#include "params/work_for_test.h"

/// Bootstraps to a lower level, and what batches of a linear map hold at their bounds.
namespace tacit::params {
namespace {

constexpr int kLower = 6, kLogRingSlots = 8;

/// S15 on a small ring, whose digits are eight, nine, seven and eight primes. Twelve of its message primes lie above
/// level 6, where these bootstraps end.
class LowerBootstrapTest : public testing::Test {
 protected:
  static CkksLiteral set() { return insecure_on_small_ring("S15", kLogRingSlots + 1); }
  /// The set without those primes: seven primes, five and eight are left of the digits.
  static CkksLiteral raised() {
    CkksLiteral literal = set();
    literal.q_bits.erase(literal.q_bits.begin() + kLower + 1, literal.q_bits.begin() + kLower + 13);
    literal.digits = {7, 5, 8};
    return literal;
  }
  static double density(const DftFactor& factor) {
    return std::exp2(factor.first_stage + factor.stages - kLogRingSlots);
  }
  static LinearCounts counts(const DftFactor& factor) {
    LinearCounts result = count(factor.schedule.steps);
    result.density = density(factor);
    return result;
  }
  const BootstrapSchedule schedule_ = plan_bootstrap(set(), {.output_level = kLower});
};

void expect_near(double found, double expected) { EXPECT_NEAR(found / expected, 1, 1e-12); }

TEST_F(LowerBootstrapTest, TakesItsStepsOverThePrimesThatAreRaised) {
  const Account whole(set(), 2), above(raised(), 2);
  ASSERT_EQ(schedule_.chain.skipped, 12);
  const std::vector<int>& sine = schedule_.chain.sine;
  ASSERT_EQ(sine, (std::vector<int>{15, 14, 12, 11, 10, 9, 8, 7, 6}));
  Work expected = above.polynomial(plan_polynomial(schedule_.cosine, schedule_.polynomial), std::span(sine).first(6));
  for (const int level : {9, 8, 7}) expected += above.multiply(level);
  expected += above.rotate(15);
  const auto map = [&](const Account& account, const DftFactor& factor, const LinearParts<Work>& parts) {
    expected += total(counts(factor), parts);
    expected.bytes += account.ciphertext_bytes(factor.level) + account.ciphertext_bytes(factor.level - 1);
  };
  for (const DftFactor& factor : schedule_.slots_to_coefficients) map(whole, factor, whole.linear(factor.level));
  int level = 19;
  for (const DftFactor& factor : schedule_.coefficients_to_slots) {
    map(above, factor, level == 19 ? above.raised_linear(level) : above.linear(level));
    --level;
  }
  EXPECT_EQ(level, 15);
  expect_near(whole.bootstrap(schedule_), expected);
}

// A diagonal is encoded by one period, of four slots at least: an embedding of them, and a transform of twice as many
// words for every row.
TEST_F(LowerBootstrapTest, EncodesAPeriodOfEveryDiagonal) {
  const Account whole(set());
  const Gadget of_set = gadget_of(set()), of_raised = gadget_of(raised());
  double transforms = 0, embeddings = 0, additions = 0, bytes = 0;
  const auto add = [&](const DftFactor& factor, double rows) {
    const auto diagonals = static_cast<double>(factor.schedule.steps.size());
    const double period = std::exp2(kLogRingSlots) * density(factor), embedded = std::max(period, 4.0);
    const double words = 2 * embedded;
    transforms += diagonals * words * std::log2(words) * rows;
    embeddings += diagonals * embedded * std::log2(embedded);
    additions += 5 * diagonals * words * rows;
    bytes += diagonals * 2 * period * rows * 8;
  };
  for (const DftFactor& factor : schedule_.slots_to_coefficients) add(factor, of_set.extended(factor.level));
  const std::vector<DftFactor>& up = schedule_.coefficients_to_slots;
  // One special prime divides what the first factor multiplies.
  add(up[0], 20 + 1);
  for (std::size_t i = 1; i < up.size(); ++i) add(up[i], of_raised.extended(up[i].level));
  const Work found = whole.encode_transforms(schedule_);
  expect_near(found.transform_words(), transforms);
  expect_near(found.embeddings, embeddings);
  expect_near(found.additions, additions);
  expect_near(found.touched * 8, bytes);
  expect_near(whole.transform_bytes(schedule_), bytes);
}

TEST_F(LowerBootstrapTest, HoldsWhatItsLargestStepDoes) {
  const Account whole(set()), above(raised());
  double largest = std::max(above.polynomial_scratch_bytes(plan_polynomial(schedule_.cosine, schedule_.polynomial), 15),
                            above.raised_linear_scratch_bytes(19));
  for (const DftFactor& factor : schedule_.slots_to_coefficients)
    largest = std::max(largest, whole.linear_scratch_bytes(factor.level, counts(factor)));
  for (const DftFactor& factor : std::span(schedule_.coefficients_to_slots).subspan(1))
    largest = std::max(largest, above.linear_scratch_bytes(factor.level, counts(factor)));
  EXPECT_EQ(whole.bootstrap_scratch_bytes(schedule_), largest + 2 * above.ciphertext_bytes(19));
}

// At level 3 of N14-d7 a polynomial has four rows and two of special primes, and two digits: 256 decomposed inputs are
// 384 MiB.
TEST(Account, ABatchHoldsWhatFitsItExactly) {
  constexpr double kPoly = 6 * 8 * 16384, kBatch = static_cast<double>(kLinearBatchBytes);
  ASSERT_EQ(256 * 2 * kPoly, kBatch);
  const Account account(named_literal("N14-d7"));
  const auto scratch = [&](std::int64_t giants, std::int64_t inputs, std::int64_t outputs) {
    LinearCounts counts{.babies = 1, .giants = giants, .products = 1, .folds = 0};
    counts.inputs = inputs;
    counts.outputs = outputs;
    return account.linear_scratch_bytes(3, counts);
  };
  EXPECT_EQ(scratch(0, 256, 1), kBatch + (2 + 6) * kPoly);
  // With one input more there are two groups: sums are held over the earlier one, and finished.
  EXPECT_EQ(scratch(0, 257, 1), kBatch + (4 + 6) * kPoly);
  // Two sums for each of 128 outputs are a batch: inputs are forgotten before the sums are decomposed.
  EXPECT_EQ(scratch(1, 1, 128), 2 * kPoly + kBatch + 6 * kPoly);
  EXPECT_EQ(scratch(1, 1, 129), (2 + 2) * kPoly + kBatch + 6 * kPoly);
}

// Without baby steps no input is decomposed. The sum under the one giant step is.
TEST(Account, TheSumUnderOneGiantStepIsDecomposed) {
  constexpr double kPoly = 6 * 8 * 16384;
  const LinearCounts counts{.babies = 0, .giants = 1, .products = 1, .folds = 0};
  EXPECT_EQ(Account(named_literal("N14-d7")).linear_scratch_bytes(3, counts), (2 + 2 * 2 + 6) * kPoly);
}

// One prime of the first digit is left out.
TEST(Account, ABootstrapToOneLevelBelowTheHighestDoesWithoutItsPrime) {
  const CkksLiteral literal = insecure_on_small_ring("S8", 8);
  const BootstrapSchedule schedule = plan_bootstrap(literal, {.output_level = 10});
  const std::vector<int>& sine = schedule.chain.sine;
  ASSERT_EQ(sine, (std::vector<int>{19, 18, 16, 15, 14, 13, 12, 11, 10}));
  CkksLiteral raised = literal;
  raised.q_bits.erase(raised.q_bits.begin() + 11);
  raised.digits = {12, 12};
  const Account above(raised);
  Work expected = above.polynomial(plan_polynomial(schedule.cosine, schedule.polynomial), std::span(sine).first(6));
  for (const int level : {13, 12, 11}) expected += above.multiply(level);
  const Work found = Account(literal).sine(schedule);
  expect_near(found.macs, expected.macs);
  expect_near(found.key_macs, expected.key_macs);
  expect_near(found.transforms[40], expected.transforms[40]);
}

// A factor with many giant steps is larger than all other steps.
TEST(Account, TheScratchOfABootstrapMayBeThatOfTheSecondFactorOfCoefficientsToSlots) {
  const CkksLiteral literal = insecure_on_small_ring("S8", 8);
  BootstrapSchedule schedule = plan_bootstrap(literal);
  DftFactor& second = schedule.coefficients_to_slots.at(1);
  second.schedule.steps.clear();
  for (std::int64_t giant = 1; giant <= 1000; ++giant)
    second.schedule.steps.push_back({.diagonal = giant, .baby = 0, .giant = giant});
  ASSERT_EQ(second.level, 23);
  // 24 ciphertext primes and twelve special ones, two digits; a thousand and one sums of two polynomials.
  constexpr double kPoly = 36 * 8 * 256, kCiphertext = 2 * 25 * 8 * 256;
  EXPECT_EQ(Account(literal).bootstrap_scratch_bytes(schedule), (1000 * 2 + 1001 * 2 + 6) * kPoly + 2 * kCiphertext);
}

// The primes of a level, and above the set as if more like its last one followed.
TEST(Account, TransformsAreCountedByTheBitsOfTheirPrimes) {
  const Account account({.name = "", .log_n = 10, .q_bits = {50, 40, 30}, .p_bits = {45}, .log_scale = 20});
  constexpr double kThree = 3 * 1024 * 10;
  const auto transforms = [&](int level) { return account.encrypt(level).transforms; };
  EXPECT_EQ(transforms(0)[50], kThree);
  EXPECT_EQ(transforms(0)[40], 0);
  EXPECT_EQ(transforms(1)[40], kThree);
  EXPECT_EQ(transforms(1)[30], 0);
  for (int level = 2; level <= 6; ++level) {
    EXPECT_EQ(transforms(level)[50], kThree) << level;
    EXPECT_EQ(transforms(level)[40], kThree) << level;
    EXPECT_EQ(transforms(level)[30], kThree * (level - 1)) << level;
  }
}

// 25 ciphertext primes and one special one: a product with a key reduces two polynomials, and one more is added.
TEST(Account, ARotationOfARaisedCiphertextAddsThreePolynomials) {
  EXPECT_EQ(Account(named_literal("S8")).raised_linear(24).baby.additions, (2 + 1) * 26 * 65536.0);
}

// T_2 at level 7, the sum at level 6, and the factor 2 T_1, which is rescaled: each product is divided by a prime, too.
TEST(Account, ProductsOfAPolynomialAreDividedWithTheirRescale) {
  const Account account(named_literal("N14-d7"));
  const PolynomialPlan cubic = plan_polynomial(std::vector<double>{0, 1, 0, 1}, PolynomialSchedule::choose(3));
  const Work work = account.polynomial(cubic, 7);
  constexpr double kRow = 16384;
  const double upper = 3 * 7 + 3 * 7 + 2 * 8 + 2 * 3 * 7, lower = 3 * 6 + 3 * 6 + 1 * 8 + 2 * 3 * 6;
  EXPECT_EQ(work.macs, (upper + lower + 2 * 7) * kRow);
  EXPECT_EQ(work.additions, (2 * 10 + 2 * 7 + 2 * 9 + 2 * 6) * kRow);
}

// Of the least of everything: an embedding of four slots, and a word of each of seven rows.
TEST(Account, OneWeightOfOneDiagonalIsEncoded) {
  const Work work = Account(named_literal("N14-d7")).encode_diagonals(4, 1, 1);
  EXPECT_EQ(work.touched, 7);
  EXPECT_EQ(work.embeddings, 4 * 2);
}

// A constant is multiplied by nothing, whatever the depth of its result, and is not rescaled.
TEST(Account, AConstantPolynomialIsOneTerm) {
  const Account account(named_literal("N14-d7"));
  for (const int depth : {0, 2}) {
    const PolynomialPlan constant =
        plan_polynomial(std::vector<double>{3}, {.degree = 0, .log_baby = 1, .depth = depth});
    const Work work = account.polynomial(constant, 7);
    EXPECT_EQ(work.transform_words(), 0) << depth;
    EXPECT_EQ(work.macs + work.key_macs, 0) << depth;
    EXPECT_EQ(work.products, 2 * (depth == 0 ? 8 : 7) * 16384) << depth;
  }
}

}  // namespace
}  // namespace tacit::params
