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

RowSum::RowSum(const ring::Modulus& q, const Combination& add, std::size_t row, std::uint64_t multiplier,
               std::size_t longest)
    : q_(q),
      scaled_(longest, add.products.size() + add.multiples.size()),
      weight_(q_.mul(q_.reduce(add.weight), multiplier)),
      constant_(q_.mul(residue(add.constant, q_), multiplier)) {
  for (const auto& [x, y] : add.products) {
    factors_.push_back(x->limb(row));
    rows_.push_back(y->limb(row));
  }
  for (const auto& [x, factor] : add.multiples) {
    std::fill_n(scaled_[rows_.size()], longest, q_.mul(residue(factor, q_), multiplier));
    rows_.push_back(x->limb(row));
  }
}

void RowSum::run(std::size_t at, std::size_t count, std::span<const std::uint64_t* const> left,
                 std::span<const std::uint64_t* const> right, std::uint64_t* out) {
  left_now_.assign(left.begin(), left.end());
  right_now_.assign(right.begin(), right.end());
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const bool product = k < factors_.size();
    if (product && weight_ != 1) limb::multiply_scalar(scaled_[k], factors_[k] + at, weight_, count, q_);
    left_now_.push_back(product && weight_ == 1 ? factors_[k] + at : scaled_[k]);
    right_now_.push_back(rows_[k] + at);
  }
  if (right_now_.empty()) {
    std::memset(out, 0, count * sizeof(std::uint64_t));
  } else {
    limb::dot(out, left_now_, right_now_, count, q_);
  }
  if (constant_ != 0) limb::add_scalar(out, out, constant_, count, q_);
}

void evaluate_row(const ModulusChain& chain, const Combination& combination, std::size_t row, std::uint64_t* out) {
  const std::size_t block = chain.tiling().block_words;
  RowSum sum(chain.modulus(row), combination, row, 1, block);
  for (std::size_t at = 0; at < chain.n(); at += block) sum.run(at, block, {}, {}, out + at);
}

}  // namespace tacit::scheme::rlwe
