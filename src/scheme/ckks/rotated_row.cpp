#include "scheme/ckks/rotated_row.h"

#include "ring/limb.h"

namespace tacit::scheme::ckks {

namespace limb = ring::limb;

LinearTransform::RotatedRow::RotatedRow(const LinearTransform& map, Group group, std::size_t row)
    : map_(map),
      group_(group),
      row_(row),
      strip_(rlwe::Automorphism::strip(map.chain_.n())),
      q_(map.chain_.modulus(map.chain_.prime_of(map.level_, row))),
      special_(row >= rlwe::ModulusChain::rows(map.level_)),
      special_product_(special_ ? 0 : map.chain_.special_product(map.level_, row)),
      product_two52_(q_.times_two52(special_product_)),
      digits_(map.chain_.digits(map.level_)),
      finished_(map.chain_.n(),
                map.digits_.empty() || map.digits_.begin()->second.hoisted() ? 0 : group.size() * digits_),
      digit_(digits_) {
  for (const auto& [input, digits] : map.digits_)
    for (std::size_t d = 0; d < digits_ && input >= group.first && input < group.last; ++d)
      digit_rows_.push_back(digits.finished(d, row, finished_[digit_rows_.size()]));
  for (const GaloisKey* key : map.baby_keys_) {
    keys_.emplace_back();
    if (key != nullptr) keys_.back().emplace(map.chain_, key->key, digits_, map.level_, row);
  }
}

std::array<const std::uint64_t*, 2> LinearTransform::RotatedRow::make(std::size_t input, std::size_t baby,
                                                                      std::size_t s, std::uint64_t* room0,
                                                                      std::uint64_t* room1) {
  const std::size_t in_group = input - group_.first;
  const Ciphertext& x = *map_.inputs_[input];
  if (vanishes(baby)) return {};
  if (!keys_[baby]) {
    limb::multiply_scalar(room0, x.c0.limb(row_) + s * strip_, special_product_, strip_, q_);
    limb::multiply_scalar(room1, x.c1.limb(row_) + s * strip_, special_product_, strip_, q_);
    return {room0, room1};
  }
  find_next(input, baby, s);
  const rlwe::Automorphism& automorphism = map_.baby_keys_[baby]->automorphism;
  const std::size_t from = automorphism.source_strip(s) * strip_;
  for (std::size_t d = 0; d < digits_; ++d) digit_[d] = digit_rows_[in_group * digits_ + d] + from;
  rlwe::KeyRow::More more;
  ring::ProductTerm first;
  if (!special_) {
    first = {limb::constant(product_two52_), x.c0.limb(row_) + from};
    more[0] = {&first, 1};
  }
  const limb::AffineMap map = automorphism.strip_map(s);
  keys_[baby]->multiply(from, strip_, digit_, more, room0, room1, next_, &map);
  return {room0, room1};
}

void LinearTransform::RotatedRow::find_next(std::size_t input, std::size_t baby, std::size_t s) {
  next_.clear();
  if (++baby == keys_.size()) {
    baby = 0;
    if (++input == group_.last) {
      input = group_.first;
      if (++s * strip_ == map_.chain_.n()) return;
    }
  }
  if (!keys_[baby]) return;
  const std::size_t from = map_.baby_keys_[baby]->automorphism.source_strip(s) * strip_;
  keys_[baby]->append_held(from, next_);
  if (!special_) next_.push_back(map_.inputs_[input]->c0.limb(row_) + from);
}

}  // namespace tacit::scheme::ckks
