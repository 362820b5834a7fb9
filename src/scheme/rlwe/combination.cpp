#include "scheme/rlwe/combination.h"

#include <algorithm>
#include <cstring>

#include "ring/limb.h"

namespace tacit::scheme::rlwe {

namespace limb = ring::limb;

std::uint64_t residue(Int128 value, const ring::Modulus& q) {
  __extension__ using Wide = unsigned __int128;
  const bool negative = value < 0;
  const Wide magnitude = negative ? -static_cast<Wide>(value) : static_cast<Wide>(value);
  const auto r = static_cast<std::uint64_t>(magnitude % q.value());
  return negative ? q.negate(r) : r;
}

RowSum::RowSum(const ring::Modulus& q, std::span<const std::uint64_t* const> right, const Combination& add,
               std::size_t row, std::uint64_t multiplier, std::size_t longest)
    : q_(q),
      given_(right.size()),
      right_(right.begin(), right.end()),
      scaled_(longest, add.products.size() + add.multiples.size()),
      weight_(q_.mul(q_.reduce(add.weight), multiplier)),
      constant_(q_.mul(residue(add.constant, q_), multiplier)) {
  for (const auto& [x, y] : add.products) {
    factors_.push_back(x->limb(row));
    right_.push_back(y->limb(row));
  }
  for (const auto& [x, factor] : add.multiples) {
    std::fill_n(scaled_[right_.size() - given_], longest, q_.mul(residue(factor, q_), multiplier));
    right_.push_back(x->limb(row));
  }
  left_now_.resize(right_.size());
  right_now_.resize(right_.size());
}

void RowSum::run(std::size_t at, std::size_t count, std::span<const std::uint64_t* const> left, std::uint64_t* out) {
  for (std::size_t i = 0; i < right_.size(); ++i) right_now_[i] = right_[i] + at;
  for (std::size_t i = 0; i < given_; ++i) left_now_[i] = left[i];
  for (std::size_t i = given_; i < right_.size(); ++i) {
    const std::size_t k = i - given_;
    if (k < factors_.size() && weight_ != 1) limb::multiply_scalar(scaled_[k], factors_[k] + at, weight_, count, q_);
    left_now_[i] = k < factors_.size() && weight_ == 1 ? factors_[k] + at : scaled_[k];
  }
  if (right_.empty()) {
    std::memset(out, 0, count * sizeof(std::uint64_t));
  } else {
    limb::dot(out, left_now_, right_now_, count, q_);
  }
  if (constant_ != 0) limb::add_scalar(out, out, constant_, count, q_);
}

void evaluate_row(const ModulusChain& chain, const Combination& combination, std::size_t row, std::uint64_t* out) {
  const std::size_t block = chain.tiling().block_words;
  RowSum sum(chain.modulus(row), {}, combination, row, 1, block);
  for (std::size_t at = 0; at < chain.n(); at += block) sum.run(at, block, {}, out + at);
}

}  // namespace tacit::scheme::rlwe
