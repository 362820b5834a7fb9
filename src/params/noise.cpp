#include "params/noise.h"

#include <algorithm>
#include <cmath>

namespace tacit::params {
namespace {

constexpr double kSigma = 3.19;
constexpr double kTernaryVariance = 2.0 / 3.0;
constexpr double kRoundingVariance = 1.0 / 12.0;

double degree(const CkksParameters& p) { return static_cast<double>(p.n()); }

/// Products of coefficients that add up in one coefficient of a product: a_i b_j meets X^(i + j) and X^(i - j) in the
/// conjugate-invariant ring.
double terms(const CkksParameters& p) { return p.real_slots() ? 2 * degree(p) : degree(p); }

double parts(const CkksParameters& p) { return static_cast<double>(p.parts()); }

/// Of a coefficient of a product of the secret and a polynomial of variance 1.
double secret_gain(const CkksParameters& p) { return kTernaryVariance * parts(p) * terms(p); }

// c0 and c1 are each rounded; the latter's error meets the secret.
double rounding_variance(const CkksParameters& p) { return kRoundingVariance * (1 + secret_gain(p)); }

/// Of what a key switch at the level divides by.
double log2_special(const CkksParameters& p, const std::vector<std::size_t>& special, int level) {
  double sum = 0;
  for (std::size_t k = 0; k < special[static_cast<std::size_t>(level)]; ++k)
    sum += std::log2(static_cast<double>(p.p()[k]));
  return sum;
}

/// Of the error of a Galois key: the errors of its parts add up.
double galois_error(const CkksParameters& p) { return kSigma * kSigma * parts(p); }

/// Of the error of the relinearisation key. The errors of the parts of a sum meet the secret, and those of the second
/// halves the masks of the first round.
double relinearisation_error(const CkksParameters& p) {
  return p.parts() == 1 ? kSigma * kSigma : kSigma * kSigma * parts(p) * (1 + 2 * secret_gain(p));
}

// Each digit of a uniform polynomial is uniform below its product of primes and multiplies one key error.
double key_error_variance(const CkksParameters& p, const Gadget& gadget, int level, double error) {
  const std::size_t limbs = static_cast<std::size_t>(level) + 1;
  const double log_special = log2_special(p, gadget.special_primes, level);
  double sum = 0;
  std::size_t i = 0;
  for (const std::size_t digit : gadget.digits) {
    if (i >= limbs) break;
    double log_digit = 0;
    for (const std::size_t last = std::min(i + digit, limbs); i < last; ++i)
      log_digit += std::log2(static_cast<double>(p.q()[i]));
    sum += std::exp2(2 * (log_digit - log_special));
  }
  return terms(p) * error * kRoundingVariance * sum;
}

}  // namespace

double slot_deviation(const CkksParameters& p, double coefficient_deviation, double scale) {
  return coefficient_deviation * std::sqrt(p.real_slots() ? 2 * degree(p) : degree(p) / 2) / scale;
}

double encode_noise(const CkksParameters& p, double scale) {
  return slot_deviation(p, std::sqrt((p.real_slots() ? 1 : 2) * kRoundingVariance), scale);
}

double symmetric_encryption_noise(const CkksParameters& p, double scale) { return slot_deviation(p, kSigma, scale); }

double public_encryption_noise(const CkksParameters& p, double scale) {
  // e0 + v e + e1 s, v ternary, e and s sums over the parts, before the division by the special primes: fewest at
  // level 0.
  const double log_special = log2_special(p, p.gadget().special_primes, 0);
  const double raw = kSigma * kSigma * (1 + 2 * secret_gain(p)) * std::exp2(-2 * log_special);
  return slot_deviation(p, std::sqrt(raw + rounding_variance(p)), scale);
}

double rounding_noise(const CkksParameters& p, double scale) {
  return slot_deviation(p, std::sqrt(rounding_variance(p)), scale);
}

double key_switch_noise(const CkksParameters& p, int level, double scale) {
  const double key = key_error_variance(p, p.gadget(), level, galois_error(p));
  return slot_deviation(p, std::sqrt(key + rounding_variance(p)), scale);
}

double multiply_noise(const CkksParameters& p, int level, double scale) {
  const double divisor = p.prime(level);
  const double key = key_error_variance(p, p.product_gadget(), level, relinearisation_error(p)) / (divisor * divisor);
  return slot_deviation(p, std::sqrt(key + rounding_variance(p)), scale);
}

}  // namespace tacit::params
