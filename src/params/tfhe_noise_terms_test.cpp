#include <gtest/gtest.h>

#include <cmath>

#include "params/tfhe_noise.h"

/// Every term of the noise by itself, in shapes in which it is the largest.
namespace tacit::params {
namespace {

constexpr double kLwe = 600, kGlwe = 2, kPolynomial = 512, kWord = 0x1p-128;

/// Nothing but roundings; digits that leave nothing out.
LookupShape silent() {
  return {.lwe = LweDimension(600),
          .glwe = GlweDimension(2),
          .polynomial = PolynomialSize(512),
          .extension = ExtensionFactor(1),
          .lwe_variance = 0,
          .glwe_variance = 0,
          .bootstrap = {.base_log = 3, .levels = 40},
          .key_switch = {.base_log = 3, .levels = 40},
          .lwe_modulus_bits = 64,
          .centred = true,
          .log_tables = 0,
          .published = true};
}

void expect_same_term(double found, double expected) { EXPECT_NEAR(found / expected, 1, 1e-9); }

/// A digit of b bits is uniform: its mean square is 4^b / 12 and a sixth.
TEST(TfheNoiseTerms, DigitsMultiplyTheErrorsOfKeys) {
  LookupShape shape = silent();
  shape.key_switch = {.base_log = 2, .levels = 3};
  shape.lwe_variance = 1e6;
  shape.bootstrap = {.base_log = 4, .levels = 2};
  shape.glwe_variance = 1e6;
  const double of_two = 16.0 / 12 + 1.0 / 6, of_four = 256.0 / 12 + 1.0 / 6;
  const double left_out = kGlwe * kPolynomial * 0x1p-12 / 24;
  expect_same_term(key_switch_variance(shape), 3 * kGlwe * kPolynomial * 1e6 * of_two + left_out);
  const double product = external_product_variance(shape);
  expect_same_term(product, 2 * kPolynomial * 3 * 1e6 * of_four + (kGlwe * kPolynomial / 2 + 1) * 0x1p-16 / 24);
  expect_same_term(bootstrap_variance(shape), kLwe * product);
}

TEST(TfheNoiseTerms, WhatDigitsLeaveOutMeetsTheSecret) {
  LookupShape shape = silent();
  shape.key_switch = {.base_log = 2, .levels = 1};
  expect_same_term(key_switch_variance(shape), kGlwe * kPolynomial * 0x1p-4 / 24);
  shape.key_switch = {.base_log = 2, .levels = 3};
  expect_same_term(key_switch_variance(shape), kGlwe * kPolynomial * 0x1p-12 / 24);
  shape.bootstrap = {.base_log = 2, .levels = 1};
  expect_same_term(external_product_variance(shape), (kGlwe * kPolynomial / 2 + 1) * 0x1p-4 / 24);
  // Half of the binary secret's coefficients are 1; two roundings of a ciphertext of other words.
  expect_same_term(packing_variance(shape, {.base_log = 2, .levels = 1}, 512), kGlwe * kPolynomial / 2 * 0x1p-4 / 12);
}

TEST(TfheNoiseTerms, WordsAreRounded) {
  LookupShape shape = silent();
  expect_same_term(key_switch_variance(shape), kGlwe * kPolynomial * kWord / 48);
  shape.lwe_modulus_bits = 4;
  expect_same_term(key_switch_variance(shape), 0x1p-8 / 12);
}

TEST(TfheNoiseTerms, PackingsAddAKeyOfEveryDigitOfEveryInteger) {
  LookupShape shape = silent();
  shape.glwe_variance = 1e6;
  for (const std::size_t packed : {1, 7, 512})
    expect_same_term(packing_variance(shape, {.base_log = 4, .levels = 3}, packed),
                     3 * kGlwe * kPolynomial * static_cast<double>(packed) * 1e6 * (256.0 / 12 + 1.0 / 6));
}

/// A power of the rows and of the polynomials, over the library that was published and over ours.
TEST(TfheNoiseTerms, TransformsAreOfDoubles) {
  LookupShape shape = silent();
  for (const bool published : {true, false}) {
    shape.published = published;
    const double rows = 40 * 3;
    expect_same_term(external_product_variance(shape), (published ? 0.00705 : 0.01) * std::exp2(22 + 2 * 3 - 128) *
                                                           std::pow(rows, 1.01827) *
                                                           std::pow(kGlwe * kPolynomial, 1.22003) * kPolynomial);
  }
}

/// To 2 N steps of a turn, times the extension, less what several tables take.
TEST(TfheNoiseTerms, ModulusSwitchesRoundMaskAndBody) {
  LookupShape shape = silent();
  shape.lwe_modulus_bits = 8;
  const double word = 0x1p-16;
  for (const auto& [extension, log_tables, steps] :
       {std::tuple{1, 0, 1024.0}, {4, 0, 4096.0}, {1, 2, 256.0}, {4, 1, 2048.0}}) {
    shape.extension = ExtensionFactor(static_cast<std::size_t>(extension));
    shape.log_tables = log_tables;
    const double step = 1 / (steps * steps);
    shape.centred = true;
    expect_same_term(modulus_switch_variance(shape), kLwe * (word / 24 + step / 48));
    shape.centred = false;
    expect_same_term(modulus_switch_variance(shape), kLwe * (word / 48 + step / 24) + (step - word) / 12);
  }
}

TEST(TfheNoiseTerms, BudgetsAreTheSquaresOfNorms) {
  LookupShape shape = silent();
  shape.glwe_variance = 0.25;
  const NoiseBudget budget = noise_budget(shape, 3, 5);
  expect_same_term(budget.bootstraps, 9 * bootstrap_variance(shape));
  expect_same_term(budget.fresh, 25 * 0.25);
  expect_same_term(budget.key_switch, key_switch_variance(shape));
  expect_same_term(budget.modulus_switch, modulus_switch_variance(shape));
  expect_same_term(budget.total(), 9 * bootstrap_variance(shape) + key_switch_variance(shape) +
                                       modulus_switch_variance(shape) + 25 * 0.25);
}

/// Each coefficient of the least polynomials, so that a rounding is not lost beside the error of the transforms.
TEST(TfheNoiseTerms, ProductsRoundWordsBesideTheirTransforms) {
  LookupShape shape = silent();
  shape.glwe = GlweDimension(1);
  shape.polynomial = PolynomialSize(1);
  shape.bootstrap = {.base_log = 1, .levels = 80};
  const double rest = 0x1p-160;
  const double transforms = 0.00705 * std::exp2(22 + 2 - 128) * std::pow(160.0, 1.01827);
  const double expected = (kWord / 48 + rest / 24) / 2 + rest / 24 - kWord / 24 + transforms;
  EXPECT_NEAR(external_product_variance(shape) / expected, 1, 1e-13);
}

TEST(TfheNoiseTerms, APackingOfNothingRoundsItsWords) {
  LookupShape shape = silent();
  shape.glwe_variance = 1e6;
  expect_same_term(packing_variance(shape, {.base_log = 3, .levels = 40}, 0), kGlwe * kPolynomial / 2 * kWord / 6);
}

TEST(TfheNoiseTerms, FreshCiphertextsAreAllThatAShapeWithoutASmallKeyHas) {
  LookupShape shape = silent();
  shape.glwe_variance = 0.25;
  EXPECT_EQ(noise_budget(shape, 3).fresh, 0);
  shape.lwe = LweDimension(0);
  const NoiseBudget fresh = noise_budget(shape, 3, 5);
  EXPECT_EQ(fresh.bootstraps, 0);
  EXPECT_EQ(fresh.key_switch, 0);
  EXPECT_EQ(fresh.modulus_switch, 0);
  expect_same_term(fresh.fresh, 25 * 0.25);
  shape.lwe = LweDimension(1);
  const NoiseBudget least = noise_budget(shape, 3, 5);
  expect_same_term(least.bootstraps, 9 * external_product_variance(shape));
  EXPECT_GT(least.key_switch, 0);
  EXPECT_GT(least.modulus_switch, 0);
}

/// The least sizes, the words and the centring that sets have, and no noise at all.
TEST(TfheNoiseTerms, AShapeIsWithoutNoiseUnlessItSays) {
  const LookupShape shape;
  EXPECT_EQ(shape.lwe.value, 0u);
  EXPECT_EQ(shape.glwe.value, 1u);
  EXPECT_EQ(shape.polynomial.value, 2u);
  EXPECT_EQ(shape.extension.value, 1u);
  EXPECT_EQ(shape.lwe_variance, 0);
  EXPECT_EQ(shape.glwe_variance, 0);
  EXPECT_EQ(shape.bootstrap, Decomposition{});
  EXPECT_EQ(shape.key_switch, Decomposition{});
  EXPECT_EQ(shape.lwe_modulus_bits, 32);
  EXPECT_TRUE(shape.centred);
  EXPECT_EQ(shape.log_tables, 0);
  EXPECT_FALSE(shape.published);
  const NoiseBudget budget;
  EXPECT_EQ(budget.bootstraps, 0);
  EXPECT_EQ(budget.key_switch, 0);
  EXPECT_EQ(budget.modulus_switch, 0);
  EXPECT_EQ(budget.fresh, 0);
}

/// Numbers from -2^b to 2^b, those at the ends half as often as the others.
TEST(TfheNoiseTerms, BoundedUniformNumbersHaveTheVarianceOfTheirDefinition) {
  for (const int bits : {0, 1, 2, 5}) {
    const int most = 1 << bits;
    double sum = 0;
    for (int x = -most; x <= most; ++x) sum += (std::abs(x) == most ? 0.5 : 1.0) * x * x / (2.0 * most);
    expect_same_term(bounded_uniform_variance(bits, 0), sum);
    expect_same_term(bounded_uniform_variance(bits, 3), sum / 64);
  }
}

/// By erfc of half a slot, in deviations times sqrt(2); also where a series takes its place, from 20 on.
TEST(TfheNoiseTerms, FailuresAreTailsOfAGaussian) {
  for (const int bits : {1, 4, 8})
    for (const double reach : {0.5, 3.0, 19.99, 20.01, 22.0, 26.0}) {
      const double half = std::exp2(-bits - 2), variance = half * half / (2 * reach * reach);
      EXPECT_NEAR(log2_failure(bits, variance), std::log2(std::erfc(reach)), 1e-6) << bits << " " << reach;
    }
}

}  // namespace
}  // namespace tacit::params
