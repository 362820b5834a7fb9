#include "scheme/rlwe/automorphism.h"

#include <bit>

#include "ring/automorphism.h"
#include "ring/bit_reversal.h"
#include "ring/limb.h"

namespace tacit::scheme::rlwe {

// A position's reversal is its strip's, below, and its reversal within the strip times the number of strips.
Automorphism::Automorphism(std::uint64_t element, std::size_t n, ring::Kind kind)
    : strip_(strip(n)), source_(n / strip_), target_(n / strip_), maps_(n / strip_) {
  const auto [multiplier, offset] = ring::automorphism_map(element, n, kind);
  const std::size_t strips = n / strip_;
  const auto bits = static_cast<unsigned>(std::countr_zero(strips));
  for (std::size_t x = 0; x < strips; ++x) {
    const std::uint64_t y = (std::uint64_t{multiplier} * x + offset) % n;
    const auto to = ring::reverse_bits(x, bits), from = ring::reverse_bits(y % strips, bits);
    source_[to] = static_cast<std::uint32_t>(from);
    target_[from] = static_cast<std::uint32_t>(to);
    maps_[to] = {multiplier, static_cast<std::uint32_t>(y / strips)};
  }
}

void Automorphism::apply_run(ring::Destination out, std::span<const std::uint64_t> words, std::size_t at) const {
  for (std::size_t i = 0; i < words.size(); i += strip_) {
    const std::size_t target = target_[(at + i) / strip_];
    ring::limb::permute(out + target * strip_, words.data() + i, maps_[target], strip_);
  }
}

void Automorphism::add_run(std::uint64_t* out, std::span<const std::uint64_t> words, std::size_t at,
                           const ring::Modulus& q) const {
  std::uint64_t moved[kStrip];
  for (std::size_t i = 0; i < words.size(); i += strip_) {
    const std::size_t target = target_[(at + i) / strip_];
    ring::limb::permute({moved}, words.data() + i, maps_[target], strip_);
    ring::limb::add(out + target * strip_, out + target * strip_, moved, strip_, q);
  }
}

}  // namespace tacit::scheme::rlwe
