#include "params/tfhe_noise.h"

#include <cmath>
#include <numbers>

namespace tacit::params {
namespace {

double square(double x) { return x * x; }

/// Of digits uniform in [-B / 2, B / 2]: their mean square.
double digit_square(Decomposition cut) { return std::exp2(2 * cut.base_log) / 12 + 1.0 / 6; }
/// Of what the digits leave out, squared.
double rest_square(Decomposition cut) { return std::exp2(-2.0 * cut.base_log * cut.levels); }

double count(std::size_t value) { return static_cast<double>(value); }

/// Error of the double-precision FFT in the phase of a sum of products of `rows` polynomials of digits of base_log
/// bits. The powers are a published fit over another FFT; over ours (degrees 256 to 4096, k from 1 to 6) the constant
/// is 1.1 to 1.33 times theirs with fused products and up to 1.47 times without.
double fft_variance(const LookupShape& shape, int base_log, double rows) {
  constexpr double kPublished = 0.00705, kOurs = 0.01;
  const double n = count(shape.polynomial.value), k = count(shape.glwe.value);
  return (shape.published ? kPublished : kOurs) * std::exp2(22 + 2.0 * base_log - 128) * std::pow(rows, 1.01827) *
         std::pow(k * n, 1.22003) * n;
}

/// log2 erfc(x), also where erfc is below every double.
double log2_erfc(double x) {
  constexpr double kAsymptotic = 20;
  if (x < kAsymptotic) return std::log2(std::erfc(x));
  const double series = 1 - 0.5 / square(x) + 0.75 / square(square(x));
  return (-square(x) + std::log(series / (x * std::sqrt(std::numbers::pi)))) * std::numbers::log2e;
}

/// Half the distance between messages: one bit of padding above, half a slot below.
double half_slot(int bits) { return std::exp2(-bits - 2); }

}  // namespace

double bounded_uniform_variance(int bound_bits, int word_bits) {
  return (std::exp2(2 * bound_bits + 1) + 1) / 6 * std::exp2(-2.0 * word_bits);
}

double public_encryption_factor(const LookupShape& s) {
  return 1 + (2.0 / 3 + 1.0 / 2) * count(s.glwe.value) * count(s.polynomial.value);
}

double public_sum_factor(const LookupShape& s) {
  const double n = count(s.polynomial.value), k = count(s.glwe.value);
  return 1 + (2.0 / 3 + 1.0 / 4) * k * n + k * square(n / std::numbers::pi);
}

LookupShape with_public_inputs(LookupShape s) {
  s.fresh_factor = public_sum_factor(s);
  return s;
}

double key_switch_variance(const LookupShape& s) {
  const double n_in = count(s.glwe.value) * count(s.polynomial.value);
  const double word = std::exp2(-128.0), out_word = std::exp2(-2.0 * s.lwe_modulus_bits);
  return s.key_switch.levels * n_in * s.lwe_variance * digit_square(s.key_switch) +
         n_in * (word / 48 + rest_square(s.key_switch) / 24) + (out_word - word) / 12;
}

double external_product_variance(const LookupShape& s) {
  const double n = count(s.polynomial.value), k = count(s.glwe.value), word = std::exp2(-128.0);
  return s.bootstrap.levels * n * (k + 1) * s.glwe_variance * digit_square(s.bootstrap) +
         k * n / 2 * (word / 48 + rest_square(s.bootstrap) / 24) + rest_square(s.bootstrap) / 24 - word / 24 +
         fft_variance(s, s.bootstrap.base_log, s.bootstrap.levels * (k + 1));
}

double bootstrap_variance(const LookupShape& s) { return count(s.lwe.value) * external_product_variance(s); }

double modulus_switch_variance(const LookupShape& s) {
  const double steps = 2 * count(s.polynomial.value) * count(s.extension.value) / std::exp2(s.log_tables);
  const double step = std::exp2(-2 * std::log2(steps)), word = std::exp2(-2.0 * s.lwe_modulus_bits);
  const double of_mask = s.centred ? word / 24 + step / 48 : word / 48 + step / 24;
  // Centred, the body is cut off instead of rounded, and boxes of a table begin where steps do: nothing is added.
  const double of_body = s.centred ? 0 : (step - word) / 12;
  return count(s.lwe.value) * of_mask + of_body;
}

double packing_variance(const LookupShape& s, Decomposition cut, std::size_t packed) {
  constexpr double kRowsTogether = 32;  // of one product; the exponent next to 1 makes little of it
  const double n_in = count(s.glwe.value) * count(s.polynomial.value), word = std::exp2(-128.0);
  const double products = n_in * cut.levels / kRowsTogether;
  // Digits are at `packed` of the places of their polynomials.
  const double full = count(packed) / count(s.polynomial.value);
  return cut.levels * n_in * count(packed) * s.glwe_variance * digit_square(cut) +
         n_in / 2 * (word / 6 + rest_square(cut) / 12) + products * full * fft_variance(s, cut.base_log, kRowsTogether);
}

NoiseBudget noise_budget(const LookupShape& s, double norm2, double fresh_norm2) {
  const double fresh = square(fresh_norm2) * s.fresh_factor * s.glwe_variance;
  if (s.lwe.value == 0) return {.fresh = fresh};
  return {square(norm2) * bootstrap_variance(s), key_switch_variance(s), modulus_switch_variance(s), fresh};
}

double log2_failure(int bits, double variance) { return log2_erfc(half_slot(bits) / std::sqrt(2 * variance)); }

double most_variance(int bits, double failure) {
  double low = 0, high = 1000;  // of half a slot in deviations times sqrt(2)
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (log2_erfc(middle) > failure ? low : high) = middle;
  }
  return square(half_slot(bits) / high) / 2;
}

}  // namespace tacit::params
