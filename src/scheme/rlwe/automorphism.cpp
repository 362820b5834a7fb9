#include "scheme/rlwe/automorphism.h"

#include <algorithm>

#include "ring/automorphism.h"
#include "ring/limb.h"

namespace tacit::scheme::rlwe {

Automorphism::Automorphism(std::uint64_t element, std::size_t n, ring::Kind kind)
    : strip_(std::min(kStrip, n)), target_(n / strip_), index_(ring::automorphism_table(element, n, kind)) {
  for (std::size_t begin = 0; begin < n; begin += strip_) {
    source_.push_back(static_cast<std::uint32_t>(index_[begin] / strip_));
    target_[source_.back()] = static_cast<std::uint32_t>(begin / strip_);
    for (std::size_t i = begin; i < begin + strip_; ++i) index_[i] %= static_cast<std::uint32_t>(strip_);
  }
}

void Automorphism::apply_strip(std::uint64_t* out, const std::uint64_t* in, std::size_t s) const {
  ring::limb::permute(out, in, index_.data() + s * strip_, strip_);
}

void Automorphism::apply_run(std::uint64_t* out, std::span<const std::uint64_t> words, std::size_t at,
                             bool around) const {
  for (std::size_t i = 0; i < words.size(); i += strip_) {
    const std::size_t target = target_[(at + i) / strip_];
    ring::limb::permute(out + target * strip_, words.data() + i, index_.data() + target * strip_, strip_, around);
  }
}

void Automorphism::add_run(std::uint64_t* out, std::span<const std::uint64_t> words, std::size_t at,
                           const ring::Modulus& q) const {
  std::uint64_t moved[kStrip];
  for (std::size_t i = 0; i < words.size(); i += strip_) {
    const std::size_t target = target_[(at + i) / strip_];
    apply_strip(moved, words.data() + i, target);
    ring::limb::add(out + target * strip_, out + target * strip_, moved, strip_, q);
  }
}

}  // namespace tacit::scheme::rlwe
