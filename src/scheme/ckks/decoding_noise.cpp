#include "scheme/ckks/decoding_noise.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

#include "base/random.h"
#include "params/noise.h"

namespace tacit::scheme::ckks {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// Two independent standard normal numbers (Box, Muller 1958).
std::complex<double> normal_pair(base::Csprng& random) {
  const auto uniform = [&] { return (static_cast<double>(random.next() >> 11) + 0.5) * 0x1p-53; };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return std::polar(radius, 2 * std::numbers::pi * uniform());
}

}  // namespace

double estimated_noise(const params::CkksParameters& parameters, int level, double scale,
                       std::span<const std::complex<double>> slots) {
  if (parameters.real_slots()) return params::key_switch_noise(parameters, level, scale);
  double squares = 0, largest = 0;
  for (const std::complex<double>& slot : slots) {
    squares += slot.imag() * slot.imag();
    largest = std::max(largest, std::abs(slot.imag()));
  }
  const auto count = static_cast<double>(std::max<std::size_t>(slots.size(), 1));
  // Roundings meet the secret: in a slot their noise is a product of two Gaussians, whose parts have the distribution
  // of Laplace. The largest of n of these is beyond so many deviations in one of a thousand cases.
  const double far = (std::log(count) + std::log(1000.0)) / std::sqrt(2.0);
  return std::max({std::sqrt(squares / count), largest / far, params::symmetric_encryption_noise(parameters, scale)});
}

DecodingNoise::DecodingNoise(const SecretKey& secret)
    : key_(base::Sha256()
               .update(bytes_of("tacit decoding noise 2"))
               .update(std::as_bytes(secret.coefficients()))
               .finish()) {}

DecodingNoise::~DecodingNoise() { base::zeroise(key_.data(), key_.size()); }

void DecodingNoise::add_to(std::span<std::complex<double>> slots, const Ciphertext& ciphertext,
                           double deviation) const {
  constexpr double kSteps = 16, kRounding = 1e-6;
  const auto step = static_cast<std::int64_t>(std::ceil(kSteps * std::log2(deviation) - kRounding));
  deviation = std::exp2(static_cast<double>(step) / kSteps);
  base::Sha256 hash;
  base::Seed seed = hash.update(std::as_bytes(std::span(key_)))
                        .update(std::as_bytes(std::span(&step, 1)))
                        .update(std::as_bytes(std::span(ciphertext.c1.limb(0), ciphertext.c1.n())))
                        .finish();
  base::Csprng random(seed);
  base::zeroise(seed.data(), seed.size());
  for (std::complex<double>& slot : slots) slot += deviation * normal_pair(random);
}

}  // namespace tacit::scheme::ckks
