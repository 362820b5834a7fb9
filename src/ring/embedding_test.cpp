#include "ring/embedding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "base/error.h"
#include "ring/automorphism.h"

namespace tacit::ring {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> random_values(std::size_t count) {
  std::mt19937_64 random(10);
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<Complex> z(count);
  for (Complex& value : z) value = {draw(random), draw(random)};
  return z;
}

TEST(Embedding, SlotsAreEvaluationsAtPowersOfFive) {
  for (const std::size_t slots : {1, 2, 4, 8, 16, 64, 256}) {
    const std::size_t n = 2 * slots;
    const std::vector<Complex> c = random_values(slots);
    std::vector<Complex> z = c;
    Embedding(slots).coefficients_to_slots(z);
    for (std::size_t j = 0; j < slots; ++j) {
      const std::uint64_t power = rotation_element(static_cast<std::int64_t>(j), n);
      std::complex<long double> value = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const double coefficient = k < slots ? c[k].real() : c[k - slots].imag();
        value +=
            std::polar<long double>(1, std::numbers::pi_v<long double> * static_cast<long double>(power * k % (2 * n)) /
                                           static_cast<long double>(n)) *
            static_cast<long double>(coefficient);
      }
      EXPECT_NEAR(z[j].real(), static_cast<double>(value.real()), 1e-13 * static_cast<double>(n)) << slots << " " << j;
      EXPECT_NEAR(z[j].imag(), static_cast<double>(value.imag()), 1e-13 * static_cast<double>(n)) << slots << " " << j;
    }
  }
}

TEST(Embedding, RoundTripIsAccurateAtFullSize) {
  for (const std::size_t slots : {std::size_t{512}, std::size_t{1} << 12, std::size_t{1} << 15}) {
    const Embedding embedding(slots);
    const std::vector<Complex> z = random_values(slots);
    std::vector<Complex> w = z;
    embedding.slots_to_coefficients(w);
    embedding.coefficients_to_slots(w);
    double worst = 0;
    for (std::size_t i = 0; i < slots; ++i) worst = std::max(worst, std::abs(w[i] - z[i]));
    EXPECT_LT(worst, 4e-15);
  }
}

TEST(Embedding, FewerSlotsAreThoseOfASmallerEmbedding) {
  const Embedding whole(std::size_t{1} << 13);
  for (std::size_t slots = 1; slots <= whole.slots(); slots *= 2) {
    const std::vector<Complex> z = random_values(slots);
    std::vector<Complex> some = z, own = z;
    whole.slots_to_coefficients(some);
    Embedding(slots).slots_to_coefficients(own);
    ASSERT_EQ(some, own) << slots;
    whole.coefficients_to_slots(some);
    Embedding(slots).coefficients_to_slots(own);
    ASSERT_EQ(some, own) << slots;
  }
}

TEST(Embedding, RefusesOtherLengths) {
  EXPECT_THROW(Embedding(0), base::InputError);
  EXPECT_THROW(Embedding(12), base::InputError);
}

}  // namespace
}  // namespace tacit::ring
