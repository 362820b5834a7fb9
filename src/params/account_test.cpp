#include "params/account.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "params/key_switch_primes.h"
#include "params/rotation_primes.h"
#include "params/work_for_test.h"

namespace tacit::params {
namespace {

/// 8 + 2 primes in digits of two, of three for products.
const Account& account() {
  static const Account made(named_literal("N14-d7"), 2);
  return made;
}

double limbs(const Work& work) { return work.transform_words() / (16384.0 * 14); }

TEST(Account, CountsKeySwitches) {
  const Work full = account().rotate(7);
  EXPECT_EQ(limbs(full), (4 + 2) * 10);
  EXPECT_EQ(full.macs / 16384, 4 * 2 * 8 + 2 * 2 * 8);
  EXPECT_EQ(full.key_macs / 16384, 2 * 4 * 10);
  EXPECT_EQ(full.bytes / (8 * 16384), 2 * 4 * 10 + 4 * 8);
  // The highest digit is cut off at level 4; keys of which half is expanded are half the traffic.
  const Work low = Account(named_literal("N14-d7")).rotate(4);
  EXPECT_EQ(limbs(low), (3 + 2) * 7);
  EXPECT_EQ(low.multiply_accumulates() / 16384, 2 * 2 * 5 + 1 * 6 + 2 * 3 * 7 + 2 * 2 * 5);
  EXPECT_EQ(low.bytes / (8 * 16384), 3 * 7 + 4 * 5);
  EXPECT_EQ(limbs(account().rotate_hoisted(7, 3)), 4 * 10 + 3 * 2 * 10);
  EXPECT_EQ(limbs(account().multiply(7)), (3 + 2) * 10);
  EXPECT_EQ(account().multiply(7).products / 16384, 4 * 8);
}

TEST(Account, CountsLinearMapsAndPolynomials) {
  const std::vector<DiagonalStep> steps{{0, 0, 0}, {1, 1, 0}, {2, 0, 2}, {3, 1, 2}};
  const LinearCounts counts = count(steps);
  EXPECT_EQ(counts.babies, 1);
  EXPECT_EQ(counts.giants, 1);
  EXPECT_EQ(counts.products, 4);
  const Work linear = total(counts, account().linear(7));
  EXPECT_EQ(limbs(linear), 4 * 10 + (10 + 4 * 10) + 2 * 10);
  EXPECT_EQ(linear.products / 16384, 4 * 2 * 10);
  EXPECT_EQ(linear.key_macs / 16384, 2 * 2 * 4 * 10);
  // T_2 and one relinearisation more, at levels 7 and 6.
  const PolynomialPlan cubic = plan_polynomial(std::vector<double>{0, 1, 0, 1}, PolynomialSchedule::choose(3));
  const std::vector<int> levels{7, 6, 5};
  EXPECT_EQ(limbs(account().polynomial(cubic, levels)), (3 + 2) * 10 + (3 + 2) * 9 + 2 * 8);
  EXPECT_EQ(limbs(account().polynomial(cubic, 7)), limbs(account().polynomial(cubic, levels)));
}

TEST(Account, CountsWhatIsEncodedByItsPeriod) {
  const double slots = 8192, words = 16384;
  const Work dense = account().encode_diagonals(4, 3, 3 * slots);
  EXPECT_DOUBLE_EQ(limbs(dense), 3 * 7);
  EXPECT_EQ(dense.touched * 8, 3 * account().real_diagonal_bytes(4));
  EXPECT_DOUBLE_EQ(dense.embeddings, 3 * slots * 13);
  const Work repeating = account().encode_diagonals(4, 3, 3 * slots / 32);
  EXPECT_DOUBLE_EQ(repeating.transform_words(), 3 * 7 * words / 32 * (14 - 5));
  EXPECT_EQ(repeating.touched * 32, dense.touched);
  EXPECT_DOUBLE_EQ(account().encode_diagonals(4, 3, 3).transform_words(), 3 * 7 * 8 * 3) << "as of four slots";
  EXPECT_EQ(account().encode_diagonals(4, 0, 0).transform_words(), 0);
  CkksLiteral real = named_literal("N14-d7");
  real.real_slots = true;
  const Work few = Account(real).encode_diagonals(4, 3, 3 * slots / 32);
  EXPECT_DOUBLE_EQ(limbs(few), 3 * 7) << "of all slots";
  EXPECT_EQ(few.touched * 8, 3 * slots / 32 / words * Account(real).real_diagonal_bytes(4));
  EXPECT_EQ(account().encode_compact().touched, words);
  const CkksLiteral s8 = named_literal("S8");
  const BootstrapSchedule schedule = plan_bootstrap(s8);
  EXPECT_DOUBLE_EQ(Account(s8).encode_transforms(schedule).touched * 8, Account(s8).transform_bytes(schedule));
  EXPECT_GT(Account(s8).encode_transforms(schedule).transform_words(), 0);
}

TEST(Account, CountsTheKeysThatAreMade) {
  KeyManifest keys{.relinearise_level = 7, .conjugate_level = 3, .rotations = {{1, 7}, {5, 4}}};
  const CkksLiteral literal = named_literal("N14-d7");
  const Work work = key_generation(literal, keys);
  EXPECT_EQ(work.touched * 8, key_bytes(literal, keys));
  EXPECT_EQ(work.key_macs, 2 * work.touched);
  EXPECT_EQ(limbs(work), work.touched / 16384);
  EXPECT_EQ(key_generation(literal, {}).touched, 0);
  const CkksLiteral s8 = named_literal("S8");
  keys = key_manifest(plan_bootstrap(s8));
  // But for the key to the ephemeral secret.
  EXPECT_EQ(key_generation(s8, keys).touched * 8 + 2 * Account(s8).limb_bytes(), key_bytes(s8, keys));
}

TEST(Account, CountsBootstraps) {
  const CkksLiteral s8 = named_literal("S8");
  const Account whole(s8, 2);
  const Work high = whole.bootstrap(plan_bootstrap(s8));
  // The published count of such a circuit with two giant steps a factor is 2669 transforms and 37,600 products. Ours
  // has a limb more, its first factor of coefficients to slots is that of a raised ciphertext, and two others have four
  // giant steps, for fewer keys.
  EXPECT_NEAR(high.transform_words() / (65536.0 * 16), 2956, 20);
  EXPECT_NEAR(high.multiply_accumulates() / 65536, 34450, 100);
  const Work low = whole.bootstrap(plan_bootstrap(s8, {.output_level = 5}));
  EXPECT_LT(low.transform_words(), 0.86 * high.transform_words());
  EXPECT_LT(low.bytes, 0.86 * high.bytes);
}

TEST(Account, ARaisedCiphertextHasOneSmallDigit) {
  const Account account(named_literal("S8"));
  const LinearParts<Work> raised = account.raised_linear(24), other = account.linear(24);
  const double row = 65536;
  // 25 ciphertext primes and one special one, for 25 and twelve, in two digits.
  EXPECT_EQ(raised.baby.key_macs, 2 * 26 * row);
  EXPECT_EQ(other.baby.key_macs, 2 * 2 * 37 * row);
  EXPECT_EQ(raised.product.products, 2 * 26 * row);
  EXPECT_EQ(raised.decompose.transform_words(), (2 * 25 + 1) * row * 16);
  EXPECT_EQ(raised.finish.transform_words(), 2 * 26 * row * 16);
}

TEST(Account, CountsTheBytesOfEveryKey) {
  const CkksLiteral s8 = named_literal("S8");
  const Account account(s8);
  KeyManifest keys;
  keys.rotations = {{1, 3}, {2, 5}};
  const double rotations = account.half_key_bytes(3) + account.half_key_bytes(5);
  EXPECT_EQ(key_bytes(s8, keys), rotations);
  keys.relinearise_level = 7;
  keys.conjugate_level = 9;
  keys.raised_rotations = {{0, 20}, {64, 20}};
  EXPECT_EQ(key_bytes(s8, keys), rotations + account.half_product_key_bytes(7) + account.half_key_bytes(9) +
                                     2 * account.half_raised_key_bytes(20) + 2 * 8 * 65536.0);
  // One digit over 21 primes and a special one.
  EXPECT_EQ(account.half_raised_key_bytes(20), 22 * 8 * 65536.0);
  // The secret, a power or an image of it, the ephemeral one, and a row for each of 3 threads.
  const double row = 8 * 65536.0, primes = static_cast<double>(s8.q_bits.size() + s8.p_bits.size());
  EXPECT_EQ(key_generation_bytes(s8, keys, 3), key_bytes(s8, keys) + 3 * primes * row + 3 * row);
  const double largest =
      std::max({account.half_key_bytes(9), account.half_product_key_bytes(7), account.half_raised_key_bytes(20)});
  EXPECT_EQ(one_key_bytes(s8, keys, 3), largest + 3 * primes * row + 3 * row);
  EXPECT_EQ(one_key_bytes(s8, {.rotations = {{1, 3}, {2, 5}}}, 1), account.half_key_bytes(5) + 2 * primes * row + row);
}

// By hand from the contract of Account (account.h), in words of one polynomial modulo one prime.
TEST(Account, CountsEveryKindOfWorkOfAnOperation) {
  constexpr double kRow = 16384, kBytes = 8 * kRow;
  const Work sum = account().add(3);
  EXPECT_EQ(sum.additions, 2 * 4 * kRow);
  EXPECT_EQ(sum.bytes, 3 * 2 * 4 * kBytes);
  EXPECT_EQ(sum.transform_words() + sum.multiply_accumulates(), 0);

  // One decomposition, and for each of three rotations a product with a key of four digits and a division by P.
  const Work rotations = account().rotate_hoisted(7, 3);
  EXPECT_EQ(rotations.macs, (4 * 2 * 8 + 3 * 2 * 2 * 8) * kRow);
  EXPECT_EQ(rotations.key_macs, 3 * 2 * 4 * 10 * kRow);
  EXPECT_EQ(rotations.additions, 3 * (2 * 10 + 2 * 8) * kRow);
  EXPECT_EQ(rotations.bytes, (3 * 2 * 4 * 10 + (1 + 3) * 2 * 8) * kBytes);

  // Digits of three, three and two primes; the last prime is dropped with the two special ones.
  const Work product = account().multiply(7);
  EXPECT_EQ(product.macs, (3 * 7 + 3 * 7 + 2 * 8 + 2 * 3 * 7) * kRow);
  EXPECT_EQ(product.key_macs, 2 * 3 * 10 * kRow);
  EXPECT_EQ(product.additions, (2 * 10 + 2 * 7 + 2 * 8) * kRow);
  EXPECT_EQ(product.bytes, (2 * 3 * 10 + 2 * 16 + 14) * kBytes);

  const Work plain = account().multiply_plain(7);
  EXPECT_EQ(limbs(plain), 2 * 8);
  EXPECT_EQ(plain.macs, 2 * 7 * kRow);
  EXPECT_EQ(plain.products, 2 * 8 * kRow);
  EXPECT_EQ(plain.additions, 2 * 8 * kRow);
  EXPECT_EQ(plain.bytes, (1.5 * 16 + 14) * kBytes);

  const Work fresh = account().encrypt(7);
  EXPECT_EQ(limbs(fresh), 3 * 8);
  EXPECT_EQ(fresh.macs, 6 * 8 * kRow);
  EXPECT_EQ(fresh.bytes, 2 * 8 * kBytes);
  EXPECT_EQ(account().encode_compact().embeddings, 8192.0 * 13);
}

TEST(Account, CountsEveryPartOfALinearMap) {
  constexpr double kRow = 16384, kBytes = 8 * kRow;
  const LinearParts<Work> parts = account().linear(7);
  EXPECT_EQ(limbs(parts.decompose), 4 * 10);
  EXPECT_EQ(parts.decompose.macs, 4 * 2 * 8 * kRow);
  EXPECT_EQ(parts.baby.key_macs, 2 * 4 * 10 * kRow);
  EXPECT_EQ(parts.baby.additions, (2 * 10 + 10) * kRow);
  EXPECT_EQ(parts.baby.bytes, 2 * 4 * 10 * kBytes);
  EXPECT_EQ(limbs(parts.giant), 10 + 4 * 10);
  EXPECT_EQ(parts.giant.macs, (2 * 8 + 4 * 2 * 8) * kRow);
  EXPECT_EQ(parts.giant.key_macs, 2 * 4 * 10 * kRow);
  EXPECT_EQ(parts.giant.bytes, 2 * 4 * 10 * kBytes);
  EXPECT_EQ(parts.product.products, 2 * 10 * kRow);
  EXPECT_EQ(parts.product.macs, 0);
  EXPECT_EQ(parts.repeated.macs, 2 * 10 * kRow);
  EXPECT_EQ(parts.repeated.products, 0);
  EXPECT_EQ(limbs(parts.finish), 2 * 10);
  EXPECT_EQ(parts.finish.macs, 2 * 3 * 7 * kRow);
  EXPECT_EQ(parts.finish.additions, 2 * 7 * kRow);
  // A fold is a rotation of the result, one level lower; at the lowest level there is none below.
  EXPECT_EQ(parts.fold.bytes, account().rotate(6).bytes);
  EXPECT_EQ(limbs(parts.fold), limbs(account().rotate(6)));
  EXPECT_EQ(limbs(account().linear(0).fold), limbs(account().rotate(0)));
}

// 2 T_2 T_1 - T_1 for T_3, and T_1: two relinearised products, and a factor 2 T_1 that is rescaled.
TEST(Account, CountsProductsRescalesAndTrafficOfAPolynomial) {
  constexpr double kRow = 16384, kBytes = 8 * kRow;
  const PolynomialPlan cubic = plan_polynomial(std::vector<double>{0, 1, 0, 1}, PolynomialSchedule::choose(3));
  const std::vector<int> close{7, 6, 5}, apart{7, 6, 4};
  const Work work = account().polynomial(cubic, close);
  EXPECT_EQ(work.products, (2 * 4 * 7 + 2 * 8) * kRow);
  EXPECT_EQ(work.bytes, (2 * 3 * 10 + 2 * 3 * 9 + 16 + 12) * kBytes);
  // The result is rescaled twice where a level has two primes.
  const Work more = account().polynomial(cubic, apart);
  EXPECT_EQ(limbs(more), limbs(work) + 2 * 6);
  EXPECT_EQ(more.macs, work.macs + 2 * 5 * kRow);
  EXPECT_EQ(more.products, (2 * 4 * 6.5 + 2 * 8) * kRow);
  EXPECT_EQ(more.bytes, (2 * 3 * 10 + 2 * 3 * 9 + 16 + 10) * kBytes);
  // Levels end at 0.
  EXPECT_EQ(limbs(account().polynomial(cubic, 1)), limbs(account().polynomial(cubic, std::vector<int>{1, 0, 0})));
}

TEST(Account, CountsTheScratchOfEveryOperation) {
  constexpr double kBytes = 8 * 16384, kBatch = static_cast<double>(kLinearBatchBytes), kPoly = 10 * kBytes;
  EXPECT_EQ(account().key_switch_scratch_bytes(7), 4 * kPoly);
  const auto scratch = [](std::int64_t babies, std::int64_t giants, std::int64_t inputs, std::int64_t outputs) {
    LinearCounts counts{.babies = babies, .giants = giants, .products = 1, .folds = 0};
    counts.inputs = inputs;
    counts.outputs = outputs;
    return account().linear_scratch_bytes(7, counts);
  };
  // A total of two polynomials, and six for the division; nothing is decomposed.
  EXPECT_EQ(scratch(0, 0, 1, 1), (2 + 6) * kPoly);
  // The decomposed input has four digits; so have the sums under giant steps, which take its place.
  EXPECT_EQ(scratch(1, 0, 1, 1), (4 + 2 + 6) * kPoly);
  EXPECT_EQ(scratch(1, 1, 1, 1), (4 + 2 * 2 + 6) * kPoly);
  EXPECT_EQ(scratch(0, 3, 1, 1), (3 * 4 + 4 * 2 + 6) * kPoly);
  EXPECT_EQ(scratch(1, 1, 5, 1), (5 * 4 + 2 * 2 + 6) * kPoly);
  EXPECT_EQ(scratch(1, 1, 1, 5), (4 + 5 * 2 * 2 + 6) * kPoly);
  // A hundred decomposed inputs come in batches: then sums are held twice.
  EXPECT_EQ(scratch(1, 0, 100, 1), kBatch + (4 + 6) * kPoly);
  // So many sums come in batches, too, beside the inputs and the sums of one output.
  EXPECT_EQ(scratch(1, 3, 1, 50), (4 + 3 * 4 + 6) * kPoly + kBatch);
  EXPECT_EQ(scratch(1, 3, 100, 50), 2 * kBatch + (3 * 4 + 6) * kPoly);

  const PolynomialPlan cubic = plan_polynomial(std::vector<double>{0, 1, 0, 1}, PolynomialSchedule::choose(3));
  // T_2, three polynomials for each of the depths 0, 1 and 2, and a key switch.
  EXPECT_EQ(account().polynomial_scratch_bytes(cubic, 7), (1 + 1.5 * 3) * 16 * kBytes + 4 * kPoly);

  const Account deep(named_literal("S8"));
  EXPECT_EQ(deep.raised_linear_scratch_bytes(20), 4 * 22 * 8 * 65536.0);
}

// Its largest step, and the operand and the result of a factor over the raised primes.
TEST(Account, TheScratchOfABootstrapIsThatOfItsLargestStep) {
  const CkksLiteral s8 = named_literal("S8");
  const Account whole(s8);
  const BootstrapSchedule schedule = plan_bootstrap(s8);
  std::vector<double> steps{
      whole.polynomial_scratch_bytes(plan_polynomial(schedule.cosine, schedule.polynomial), schedule.chain.sine[0]),
      whole.raised_linear_scratch_bytes(schedule.chain.top)};
  for (const DftFactor& factor : schedule.slots_to_coefficients)
    steps.push_back(whole.linear_scratch_bytes(factor.level, count(factor, 15)));
  for (std::size_t i = 1; i < schedule.coefficients_to_slots.size(); ++i) {
    const DftFactor& factor = schedule.coefficients_to_slots[i];
    steps.push_back(whole.linear_scratch_bytes(factor.level, count(factor, 15)));
  }
  const double largest = *std::max_element(steps.begin(), steps.end());
  EXPECT_EQ(whole.bootstrap_scratch_bytes(schedule), largest + 2 * whole.ciphertext_bytes(schedule.chain.top));
  // To a lower level fewer primes are raised.
  EXPECT_LT(whole.bootstrap_scratch_bytes(plan_bootstrap(s8, {.output_level = 5})),
            whole.bootstrap_scratch_bytes(schedule) - whole.ciphertext_bytes(5));
}

/// Of lattice arithmetic alone.
Work arithmetic() {
  Work work;
  work.transforms[40] = 1;
  work.transforms[50] = 2;
  work.macs = 10;
  work.key_macs = 100;
  work.products = 1000;
  work.additions = 5;
  return work;
}

TEST(Account, PricesAreSumsOverTheWork) {
  const Work work = arithmetic();
  const CostTable table{.machine = "", .ntt_ns = 7, .mac_ns = 3, .key_ns = 0.5, .product_ns = 0.25};
  EXPECT_DOUBLE_EQ(seconds(work, table), 1e-9 * (3 * 7 + 15 * 3 + 50 + 250));
  EXPECT_DOUBLE_EQ(seconds(2 * work, table), 2 * seconds(work, table));
  EXPECT_DOUBLE_EQ(seconds(work + work, table), 2 * seconds(work, table));
}

TEST(Account, EveryKindOfWorkAddsUpAndHasItsPrice) {
  Work work = arithmetic();
  work.embeddings = 3;
  work.touched = 6;
  work.bytes = 7;
  const CostTable table{
      .machine = "", .ntt_ns = 7, .mac_ns = 3, .key_ns = 0.5, .product_ns = 0.25, .embed_ns = 11, .touch_ns = 13};
  EXPECT_DOUBLE_EQ(seconds(work, table), 1e-9 * (3 * 7 + 15 * 3 + 50 + 250 + 3 * 11 + 6 * 13));
  const auto is_thrice = [](const Work& found) {
    EXPECT_EQ(found.transforms[40], 3);
    EXPECT_EQ(found.transforms[50], 6);
    EXPECT_EQ(found.transform_words(), 9);
    EXPECT_EQ(found.multiply_accumulates(), 3330);
    EXPECT_EQ(found.macs, 30);
    EXPECT_EQ(found.key_macs, 300);
    EXPECT_EQ(found.products, 3000);
    EXPECT_EQ(found.embeddings, 9);
    EXPECT_EQ(found.touched, 18);
    EXPECT_EQ(found.additions, 15);
    EXPECT_EQ(found.bytes, 21);
  };
  is_thrice(3 * work);
  is_thrice(work + work + work);
}

// Its cosine and a squaring for each angle that is doubled, whose product is rescaled once more where a level has two
// primes.
TEST(Account, TheSineIsACosineAndItsDoubledAngles) {
  CkksLiteral literal = named_literal("S8");
  literal.bootstrap->sine = {1, 1, 1, 1, 1, 1, 2, 1};
  const BootstrapSchedule schedule = plan_bootstrap(literal);
  const std::vector<int> cosine{20, 19, 18, 17, 16, 15};
  ASSERT_EQ(schedule.chain.sine, (std::vector<int>{20, 19, 18, 17, 16, 15, 14, 12, 11}));
  const Account deep(literal, 2);
  Work expected = deep.polynomial(plan_polynomial(schedule.cosine, schedule.polynomial), cosine);
  for (const int level : {15, 14, 12}) expected += deep.multiply(level);
  const Work sine = deep.sine(schedule);
  constexpr double kRow = 65536;
  // From level 13 to level 12: both polynomials over 14 primes.
  EXPECT_EQ(sine.transform_words(), expected.transform_words() + 2 * 14 * kRow * 16);
  EXPECT_EQ(sine.macs, expected.macs + 2 * 13 * kRow);
  EXPECT_EQ(sine.key_macs, expected.key_macs);
  EXPECT_EQ(sine.products, expected.products);
  EXPECT_EQ(sine.additions, expected.additions);
  EXPECT_EQ(sine.bytes, expected.bytes);
}

// Slots to coefficients over the set's primes; the rest over those that are raised, and a conjugation in between.
TEST(Account, ABootstrapIsTheSumOfItsSteps) {
  const CkksLiteral s8 = named_literal("S8");
  const Account whole(s8, 2);
  const BootstrapSchedule schedule = plan_bootstrap(s8);
  const auto map = [&](const DftFactor& factor, const LinearParts<Work>& parts) {
    LinearCounts counts = count(factor.schedule.steps);
    // Diagonals repeat: in the clear there is one period of each.
    counts.density = std::exp2(factor.first_stage + factor.stages - 15);
    Work work = total(counts, parts);
    work.bytes += whole.ciphertext_bytes(factor.level) + whole.ciphertext_bytes(factor.level - 1);
    return work;
  };
  Work expected = whole.sine(schedule) + whole.rotate(20);
  for (const DftFactor& factor : schedule.slots_to_coefficients) expected += map(factor, whole.linear(factor.level));
  for (std::size_t i = 0; i < schedule.coefficients_to_slots.size(); ++i) {
    const DftFactor& factor = schedule.coefficients_to_slots[i];
    expected += map(factor, i == 0 ? whole.raised_linear(24) : whole.linear(factor.level));
  }
  expect_near(whole.bootstrap(schedule), expected);
}

// A period of every diagonal, over the primes of its gadget: those of the first factor of coefficients to slots have
// one special prime, the others twelve or as many as their level needs.
TEST(Account, CountsTheBytesOfEncodedTransforms) {
  const CkksLiteral s8 = named_literal("S8");
  const BootstrapSchedule schedule = plan_bootstrap(s8);
  const Gadget gadget = gadget_of(s8);
  double bytes = 0;
  const auto add = [&](const DftFactor& factor, double primes) {
    bytes += static_cast<double>(factor.schedule.steps.size()) * std::exp2(factor.first_stage + factor.stages - 15) *
             primes * 8 * 65536;
  };
  for (const DftFactor& factor : schedule.slots_to_coefficients) add(factor, gadget.extended(factor.level));
  for (std::size_t i = 1; i < schedule.coefficients_to_slots.size(); ++i) {
    const DftFactor& factor = schedule.coefficients_to_slots[i];
    add(factor, factor.level + 1 + 12);
  }
  add(schedule.coefficients_to_slots[0], 25 + 1);
  EXPECT_NEAR(Account(s8).transform_bytes(schedule) / bytes, 1, 1e-12);
}

TEST(Account, EncodingAndKeysArePassedOverSoOften) {
  const double row = 16384;
  const Work dense = account().encode_diagonals(4, 3, 3 * 8192.0);
  EXPECT_DOUBLE_EQ(dense.additions, 5 * 3 * row * 7);
  const Work repeating = account().encode_diagonals(4, 3, 3 * 8192.0 / 32);
  EXPECT_DOUBLE_EQ(repeating.additions, 5 * 3 * row / 32 * 7);
  EXPECT_DOUBLE_EQ(repeating.embeddings, 3 * 256 * 8);
  EXPECT_EQ(account().encode_diagonals(4, 3, 0).additions, 0);
  EXPECT_EQ(account().encode_diagonals(4, 0, 3).additions, 0);
  for (const Work& key : {account().make_key(7), account().make_product_key(7)})
    EXPECT_EQ(key.additions, 20 * key.touched);
  EXPECT_EQ(account().make_key(7).touched, 4 * 10 * row);
  EXPECT_EQ(account().make_product_key(7).touched, 3 * 10 * row);
  EXPECT_EQ(account().make_raised_key(7).touched, 9 * row);
  EXPECT_EQ(account().half_key_bytes(7), 4 * 10 * 8 * row);
  EXPECT_EQ(account().half_product_key_bytes(7), 3 * 10 * 8 * row);
  EXPECT_EQ(account().diagonal_bytes(7), 10 * 8 * row);
  EXPECT_EQ(account().real_diagonal_bytes(7), 5 * 8 * row);
}

// Keys of rotations over other primes are those of a set of its own, whose secret is one more.
TEST(Account, KeysOfRotationsMayHavePrimesOfTheirOwn) {
  CkksLiteral literal = named_literal("N14-d7");
  KeyManifest keys{.relinearise_level = 7, .conjugate_level = 3, .rotations = {{1, 4}, {5, 2}}};
  keys.rotation_primes.top = 4;
  const Account whole(literal), rotating(for_rotations(literal, 4));
  ASSERT_NE(rotating.half_key_bytes(4), whole.half_key_bytes(4));
  EXPECT_EQ(key_bytes(literal, keys), whole.half_product_key_bytes(7) + whole.half_key_bytes(3) +
                                          rotating.half_key_bytes(4) + rotating.half_key_bytes(2));
  EXPECT_EQ(key_generation(literal, keys).touched * 8, key_bytes(literal, keys));
  const double row = 8 * 16384.0;
  EXPECT_EQ(key_generation_bytes(literal, keys, 2), key_bytes(literal, keys) + 3 * 10 * row + 2 * row);
  // Level 0 counts as a level.
  const KeyManifest lowest{.relinearise_level = 0, .conjugate_level = 0, .rotations = {}};
  EXPECT_EQ(key_bytes(literal, lowest), whole.half_product_key_bytes(0) + whole.half_key_bytes(0));
  EXPECT_EQ(key_generation(literal, lowest).touched * 8, key_bytes(literal, lowest));
  EXPECT_EQ(key_bytes(literal, {}), 0);
}

}  // namespace
}  // namespace tacit::params
