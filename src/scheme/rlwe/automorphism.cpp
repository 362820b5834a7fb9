#include "scheme/rlwe/automorphism.h"

#include <algorithm>

#include "ring/automorphism.h"
#include "ring/limb.h"

namespace tacit::scheme::rlwe {

Automorphism::Automorphism(std::uint64_t element, std::size_t n)
    : strip_(std::min(kStrip, n)), index_(ring::automorphism_table(element, n)) {
  for (std::size_t begin = 0; begin < n; begin += strip_) {
    source_.push_back(static_cast<std::uint32_t>(index_[begin] / strip_));
    for (std::size_t i = begin; i < begin + strip_; ++i) index_[i] %= static_cast<std::uint32_t>(strip_);
  }
}

void Automorphism::apply_strip(std::uint64_t* out, const std::uint64_t* in, std::size_t s) const {
  ring::limb::permute(out, in, index_.data() + s * strip_, strip_);
}

void Automorphism::apply(std::uint64_t* out, const std::uint64_t* in) const {
  for (std::size_t s = 0; s < source_.size(); ++s) apply_strip(out + s * strip_, in + source_[s] * strip_, s);
}

}  // namespace tacit::scheme::rlwe
