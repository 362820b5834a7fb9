#include "scheme/ckks/rounded_coefficients.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace tacit::scheme::ckks {
namespace {

/// Bits of a half of a coefficient: primes are below 2^50.
constexpr unsigned kHalfBits = 50;

}  // namespace

RoundedCoefficients::RoundedCoefficients(const rlwe::ModulusChain& chain, int level, int dropped, int log_gap)
    : chain_(chain),
      rows_(rlwe::ModulusChain::rows(level)),
      log_gap_(log_gap),
      dropped_(static_cast<unsigned>(dropped)) {
  TACIT_ASSERT(rows_ <= 2 && dropped >= 0 && log_gap >= 0);
  Wide modulus = chain.modulus(0).value();
  if (rows_ == 2) {
    modulus *= chain.modulus(1).value();
    inverse_ = chain.modulus(1).inverse(chain.modulus(1).reduce(chain.modulus(0).value()));
  }
  const Wide half = dropped_ > 0 ? Wide{1} << (dropped_ - 1) : 0;
  largest_ = (modulus - 1 + half) >> dropped_;
  for (Wide left = largest_; left > 0; left >>= 1) ++bits_;
}

void RoundedCoefficients::append(const ring::CoefficientPoly& poly, std::vector<std::uint8_t>& out) const {
  const ring::Modulus& q0 = chain_.modulus(0);
  const Wide half = dropped_ > 0 ? Wide{1} << (dropped_ - 1) : 0;
  out.reserve(out.size() + bytes());
  Wide waiting = 0;
  unsigned held = 0;  // bits that wait, below 8 between coefficients
  for (std::size_t i = 0; i < chain_.n(); i += std::size_t{1} << log_gap_) {
    Wide value = poly.limb(0)[i];
    if (rows_ == 2) {
      const ring::Modulus& q1 = chain_.modulus(1);
      const std::uint64_t digit = q1.mul(q1.sub(poly.limb(1)[i], q1.reduce(poly.limb(0)[i])), inverse_);
      value += static_cast<Wide>(digit) * q0.value();
    }
    waiting |= ((value + half) >> dropped_) << held;
    for (held += bits_; held >= 8; held -= 8, waiting >>= 8) out.push_back(static_cast<std::uint8_t>(waiting));
  }
  if (held > 0) out.push_back(static_cast<std::uint8_t>(waiting));
}

void RoundedCoefficients::add(std::span<const std::uint8_t> bytes, ring::CoefficientPoly& sum) const {
  if (bytes.size() != this->bytes()) throw base::InputError("rounded coefficients: their number of bytes is wrong");
  std::array<std::uint64_t, 2> high{};  // 2^kHalfBits modulo the primes
  for (std::size_t row = 0; row < rows_; ++row) high[row] = chain_.modulus(row).reduce(std::uint64_t{1} << kHalfBits);
  const Wide mask = (Wide{1} << bits_) - 1;
  Wide waiting = 0;
  unsigned held = 0;
  std::size_t at = 0;
  bool fits = true;
  for (std::size_t i = 0; i < chain_.n(); i += std::size_t{1} << log_gap_) {
    for (; held < bits_; held += 8) waiting |= static_cast<Wide>(bytes[at++]) << held;
    const Wide rounded = waiting & mask;
    waiting >>= bits_;
    held -= bits_;
    fits = fits && rounded <= largest_;
    const Wide value = std::min(rounded, largest_) << dropped_;
    const auto low = static_cast<std::uint64_t>(value & ((Wide{1} << kHalfBits) - 1));
    const auto upper = static_cast<std::uint64_t>(value >> kHalfBits);
    for (std::size_t row = 0; row < rows_; ++row) {
      const ring::Modulus& q = chain_.modulus(row);
      const std::uint64_t residue = q.add(q.mul(q.reduce(upper), high[row]), q.reduce(low));
      sum.limb(row)[i] = q.add(sum.limb(row)[i], residue);
    }
  }
  if (!fits || waiting != 0)
    throw base::InputError("rounded coefficients: one of them is above the modulus; the bytes are damaged");
}

}  // namespace tacit::scheme::ckks
