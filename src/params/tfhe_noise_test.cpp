#include "params/tfhe_noise.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacit::params {
namespace {

struct Published {
  const char* name;
  int bits;
  double norm2;
  std::size_t lwe, glwe, polynomial;
  double lwe_variance, glwe_variance;
  Decomposition bootstrap, key_switch;
  bool centred;
  double log2_failure;
};

double gaussian(double deviation) { return deviation * deviation; }
double uniform(int bits) { return bounded_uniform_variance(bits, 64); }

// Parameter sets of tfhe-rs 1.4 to 1.7 with the failure probability that its source prints: order key switch,
// bootstrap; words of 64 bits throughout.
const Published kPublished[] = {
    {"2_2 TUniform", 4, 5, 918, 1, 2048, uniform(45), uniform(17), {23, 1}, {4, 4}, true, -129.58},
    {"2_2 Gaussian", 4, 5, 866, 1, 2048, gaussian(2.046e-6), gaussian(2.845e-15), {23, 1}, {3, 5}, true, -128.60},
    {"1_1 Gaussian", 2, 3, 837, 4, 512, gaussian(3.375e-6), gaussian(2.845e-15), {23, 1}, {5, 3}, true, -128.19},
    {"3_3 TUniform", 6, 9, 1077, 1, 8192, uniform(41), uniform(3), {15, 2}, {4, 5}, true, -128.99},
    {"4_0 Gaussian", 4, 1, 863, 1, 2048, gaussian(2.155e-6), gaussian(2.845e-15), {23, 1}, {3, 5}, true, -128.64},
    {"4_4 TUniform, 2^-64", 8, 17, 1117, 1, 32768, uniform(40), uniform(3), {11, 3}, {1, 22}, false, -64.01},
    {"2_2 TUniform, 2^-64", 4, 5, 879, 1, 2048, uniform(46), uniform(17), {23, 1}, {3, 5}, false, -72.18},
    {"2_2 Gaussian, 2^-64",
     4,
     5,
     833,
     1,
     2048,
     gaussian(3.616e-6),
     gaussian(2.845e-15),
     {23, 1},
     {3, 5},
     false,
     -64.04},
};

LookupShape shape_of(const Published& p) {
  return {.lwe = LweDimension(p.lwe),
          .glwe = GlweDimension(p.glwe),
          .polynomial = PolynomialSize(p.polynomial),
          .extension = ExtensionFactor(1),
          .lwe_variance = p.lwe_variance,
          .glwe_variance = p.glwe_variance,
          .bootstrap = p.bootstrap,
          .key_switch = p.key_switch,
          .lwe_modulus_bits = 64,
          .centred = p.centred,
          .log_tables = 0,
          .published = true};
}

TEST(TfheNoise, ReproducesEightPublishedFailureProbabilities) {
  for (const Published& p : kPublished) {
    const double failure = log2_failure(p.bits, noise_budget(shape_of(p), p.norm2).total());
    // The deviations of Gaussian sets are printed to four digits.
    EXPECT_NEAR(failure, p.log2_failure, 0.06) << p.name;
  }
}

TEST(TfheNoise, TheModulusSwitchBindsAndExtensionOrCentringRelieveIt) {
  LookupShape shape = shape_of(kPublished[0]);
  const NoiseBudget budget = noise_budget(shape, 5);
  EXPECT_NEAR(std::log2(budget.bootstraps), -25.0, 0.1);
  EXPECT_NEAR(std::log2(budget.key_switch), -22.0, 0.1);
  EXPECT_NEAR(std::log2(budget.modulus_switch), -19.7, 0.1);
  const double once = modulus_switch_variance(shape);
  shape.extension = ExtensionFactor(4);
  EXPECT_NEAR(modulus_switch_variance(shape), once / 16, once / 1e6);
  shape.log_tables = 2;
  EXPECT_NEAR(modulus_switch_variance(shape), once, once / 1e6);
  shape.centred = false;
  EXPECT_NEAR(modulus_switch_variance(shape), 2 * once, once / 100);
  EXPECT_EQ(bootstrap_variance(shape), bootstrap_variance(shape_of(kPublished[0])));
}

TEST(TfheNoise, FailureAndVarianceAreInverse) {
  for (const int bits : {1, 4, 8})
    for (const double failure : {-1.0, -3.0, -40.0, -64.0, -128.0, -1000.0})
      EXPECT_NEAR(log2_failure(bits, most_variance(bits, failure)), failure, 1e-6 * std::abs(failure));
}

// Both products go through the same transforms; what the error of the transforms makes is what differs where they are
// those of another library.
TEST(TfheNoise, TheErrorOfTransformsIsThatOfTheRowsOfAPacking) {
  LookupShape shape = shape_of(kPublished[0]);
  shape.glwe_variance = 0;
  shape.bootstrap = {.base_log = 3, .levels = 16};  // of two polynomials: 32 rows
  const auto of_transforms = [&](const auto& variance) {
    LookupShape ours = shape;
    ours.published = false;
    return variance(ours) - variance(shape);
  };
  const double product = of_transforms([](const LookupShape& s) { return external_product_variance(s); });
  EXPECT_GT(product, 0);
  for (const std::size_t packed : {2048, 1024, 256}) {
    const double packing =
        of_transforms([&](const LookupShape& s) { return packing_variance(s, shape.bootstrap, packed); });
    // 2048 integers of 16 digits in rows of 32, as full as the packed ones fill them.
    const double rows = 2048.0 * 16 / 32 * static_cast<double>(packed) / 2048;
    EXPECT_NEAR(packing / product / rows, 1, 1e-6) << packed;
  }
}

}  // namespace
}  // namespace tacit::params
