#include "params/account.h"

#include <gtest/gtest.h>

#include "params/rotation_primes.h"

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
}

TEST(Account, PricesAreSumsOverTheWork) {
  Work work;
  work.transforms[40] = 1;
  work.transforms[50] = 2;
  work.macs = 10;
  work.key_macs = 100;
  work.products = 1000;
  work.additions = 5;
  const CostTable table{.machine = "", .ntt_ns = 7, .mac_ns = 3, .key_ns = 0.5, .product_ns = 0.25};
  EXPECT_DOUBLE_EQ(seconds(work, table), 1e-9 * (3 * 7 + 15 * 3 + 50 + 250));
  EXPECT_DOUBLE_EQ(seconds(2 * work, table), 2 * seconds(work, table));
  EXPECT_DOUBLE_EQ(seconds(work + work, table), 2 * seconds(work, table));
}

}  // namespace
}  // namespace tacit::params
