#include "scheme/rlwe/combination.h"

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
               RowDivisor divisor, std::size_t longest)
    : q_(q),
      weighted_(longest, add.weight == 1 && multiplier == 1 && divisor == RowDivisor::one ? 0 : add.products.size()),
      constant_(q_.mul(residue(add.constant, q_), multiplier)) {
  const std::uint64_t times = divisor == RowDivisor::one ? multiplier : q_.times_two52(multiplier);
  weight_ = q_.mul(q_.reduce(add.weight), times);
  for (const auto& [x, y] : add.products) {
    factors_.push_back(x->limb(row));
    rows_.push_back(y->limb(row));
  }
  for (const auto& [x, factor] : add.multiples) {
    multiples_.push_back(q_.mul(residue(factor, q_), times));
    rows_.push_back(x->limb(row));
  }
}

std::span<const ring::ProductTerm> RowSum::terms(std::size_t at, std::size_t count) {
  now_.clear();
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    limb::FactorRow left;
    if (k >= factors_.size()) {
      left = limb::constant(multiples_[k - factors_.size()]);
    } else if (weight_ == 1) {
      left = {factors_[k] + at};
    } else {
      limb::multiply_scalar(weighted_[k], factors_[k] + at, weight_, count, q_);
      left = {weighted_[k]};
    }
    now_.push_back({left, rows_[k] + at});
  }
  return now_;
}

void RowSum::add_constant(std::uint64_t* out, std::size_t count) const {
  if (constant_ != 0) limb::add_scalar(out, out, constant_, count, q_);
}

void RowSum::append_rows(std::size_t at, std::vector<const std::uint64_t*>& rows) const {
  for (const auto* list : {&factors_, &rows_})
    for (const std::uint64_t* row : *list) rows.push_back(row + at);
}

void evaluate_row(const ModulusChain& chain, const Combination& combination, std::size_t row, std::uint64_t* out) {
  const std::size_t block = chain.tiling().block_words;
  RowSum sum(chain.modulus(row), combination, row, 1, RowDivisor::one, block);
  std::vector<limb::FactorRow> left;
  std::vector<const std::uint64_t*> right;
  for (std::size_t at = 0; at < chain.n(); at += block) {
    left.clear();
    right.clear();
    for (const ring::ProductTerm& term : sum.terms(at, block)) {
      left.push_back(term.left);
      right.push_back(term.right);
    }
    limb::dot(out + at, left, right, block, chain.modulus(row));
    sum.add_constant(out + at, block);
  }
}

}  // namespace tacit::scheme::rlwe
