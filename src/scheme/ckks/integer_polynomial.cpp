#include "scheme/ckks/integer_polynomial.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "base/vectorised.h"
#include "base/wipe.h"

namespace tacit::scheme::ckks {
namespace {

/// Of numbers in (-q, q) those that are congruent in [0, q).
TACIT_VECTORISED void lift(const std::int64_t* from, std::size_t count, std::uint64_t q, std::uint64_t* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<std::uint64_t>(from[i]) + (from[i] < 0 ? q : 0);
}

std::int64_t signed_word(std::uint64_t word) { return static_cast<std::int64_t>(word); }

}  // namespace

IntegerPolynomial::IntegerPolynomial(std::span<const double> coefficients) : mantissa_(coefficients.size()) {
  double largest = 0;
  for (const double c : coefficients) {
    if (!std::isfinite(c)) throw base::InputError("encode: a value is NaN or infinite, or value * scale overflows");
    largest = std::max(largest, std::abs(c));
  }
  constexpr int kMantissaBits = 62;
  const int bits = largest > 0 ? std::ilogb(largest) + 1 : 0;
  exponent_ = std::max(0, bits - kMantissaBits);
  const double factor = std::ldexp(1.0, -exponent_);
  for (std::size_t i = 0; i < coefficients.size(); ++i) mantissa_[i] = std::llrint(coefficients[i] * factor);
  log2_magnitude_ = largest >= 0.5 ? std::log2(largest) : -1;
}

IntegerPolynomial::~IntegerPolynomial() { base::wipe(mantissa_); }

void IntegerPolynomial::reduce(std::span<std::uint64_t> out, const ring::Modulus& q) const {
  const auto half = static_cast<double>(q.value() / 2);
  if (exponent_ == 0 && (log2_magnitude_ < 0 || std::exp2(log2_magnitude_) < half - 1)) {
    lift(mantissa_.data(), out.size(), q.value(), out.data());
    return;
  }
  const std::uint64_t power = q.pow(2 % q.value(), static_cast<std::uint64_t>(exponent_));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t r = q.reduce_signed(mantissa_[i]);
    out[i] = exponent_ == 0 ? r : q.mul(r, power);
  }
}

void centred_to_double(std::span<const std::uint64_t* const> limbs, std::span<const ring::Modulus> primes,
                       std::span<double> out) {
  const std::size_t count = primes.size();
  // Garner: x = v_0 + v_1 q_0 + v_2 q_0 q_1 + …; inverse[i][k] = q_k^-1 mod q_i.
  std::vector<std::vector<std::uint64_t>> inverse(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < i; ++k) inverse[i].push_back(primes[i].inverse(primes[i].reduce(primes[k].value())));
  constexpr std::size_t kChunk = 256;
  base::parallel_for(0, (out.size() + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    std::vector<std::uint64_t> digit(count);
    for (std::size_t i = chunk * kChunk; i < std::min(out.size(), (chunk + 1) * kChunk); ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        std::uint64_t value = limbs[j][i];
        for (std::size_t k = 0; k < j; ++k)
          value = primes[j].mul(primes[j].sub(value, primes[j].reduce(digit[k])), inverse[j][k]);
        digit[j] = value;
      }
      // The upper half stands for negative numbers: Q - 1 - x has the complemented digits. The most significant digit
      // decides (Q is odd, and the digits of (Q - 1) / 2 are all (q_j - 1) / 2). Digits are secret: no branch reads
      // them.
      std::uint64_t negative = 0;  // or 1
      for (std::size_t j = 0; j < count; ++j) {
        const std::uint64_t middle = (primes[j].value() - 1) / 2;
        const std::uint64_t above = (middle - digit[j]) >> 63, below = (digit[j] - middle) >> 63;
        negative = above | (negative & ~below);
      }
      long double value = 0;
      for (std::size_t j = count; j-- > 0;) {
        const std::uint64_t turned = primes[j].value() - 1 - digit[j];
        const std::uint64_t d = digit[j] ^ ((digit[j] ^ turned) & (std::uint64_t{0} - negative));
        // By way of signed words: processors convert unsigned ones with a branch.
        value = value * static_cast<long double>(primes[j].value()) + static_cast<long double>(signed_word(d));
      }
      const auto sign = static_cast<long double>(1 - 2 * signed_word(negative));
      out[i] = static_cast<double>(sign * (value + static_cast<long double>(signed_word(negative))));
    }
  });
}

}  // namespace tacit::scheme::ckks
