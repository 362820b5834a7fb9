#include "scheme/ckks/linear_row.h"

#include <algorithm>
#include <bit>

#include "ring/limb.h"

namespace tacit::scheme::ckks {

namespace limb = ring::limb;

namespace {

/// Strips of rotated inputs that are used together: half of a second-level cache.
constexpr std::size_t kStripBytes = std::size_t{512} << 10;

/// How many inputs are rotated by so many baby steps at a time.
std::size_t inputs_together(std::size_t babies, std::size_t strip, std::size_t inputs) {
  return std::clamp<std::size_t>(kStripBytes / (2 * babies * strip * sizeof(std::uint64_t)), 1, inputs);
}

}  // namespace

LinearTransform::Row::Row(const LinearTransform& map, std::span<const Accumulator> batch, Group group, std::size_t row)
    : map_(map),
      batch_(batch),
      group_(group),
      row_(row),
      q_(map.chain_.modulus(map.chain_.prime_of(map.level_, row))),
      together_(inputs_together(map.babies_.size(), rlwe::Automorphism::strip(map.chain_.n()), group.size())),
      rotations_(map, batch, group, row),
      room_(rotations_.strip(), 2 * map.babies_.size() * together_),
      sum_(rotations_.strip(), 2) {}

void LinearTransform::Row::make(std::size_t at, std::span<std::uint64_t* const> out) {
  const std::size_t babies = map_.babies_.size();
  for (std::size_t first = group_.first; first < group_.last; first += together_) {
    const Group inputs{first, std::min(group_.last, first + together_)};
    rotated_.clear();
    for (std::size_t i = inputs.first; i < inputs.last; ++i)
      for (std::size_t k = 0; k < babies; ++k)
        rotated_.push_back(
            rotations_.make(i, k, at / strip(), room_[2 * rotated_.size()], room_[2 * rotated_.size() + 1]));
    add(at, inputs, out);
  }
}

void LinearTransform::Row::add(std::size_t at, Group inputs, std::span<std::uint64_t* const> out) {
  const bool is_first = inputs.first == group_.first;
  for (std::size_t a = 0; a < batch_.size(); ++a) {
    factors_.clear();
    for (auto& strips : strips_) strips.clear();
    for (std::size_t i = inputs.first; i < inputs.last; ++i)
      for (const Term& term : batch_[a].terms[i]) {
        const auto& halves = rotated_[(i - inputs.first) * map_.babies_.size() + term.baby];
        if (halves[0] == nullptr) continue;
        const auto log_times = static_cast<std::size_t>(std::countr_zero(term.diagonal->block));
        factors_.push_back({term.diagonal->rows.limb(row_) + (at >> log_times), log_times});
        for (std::size_t k = 0; k < 2; ++k) strips_[k].push_back(halves[k]);
      }
    std::uint64_t* const sums[] = {out[2 * a], out[2 * a + 1]};
    if (is_first) {
      limb::dot_pair(sums[0], sums[1], factors_, strips_[0], strips_[1], strip(), q_);
    } else if (!factors_.empty()) {
      limb::dot_pair(sum_[0], sum_[1], factors_, strips_[0], strips_[1], strip(), q_);
      for (std::size_t k = 0; k < 2; ++k) limb::add(sums[k], sums[k], sum_[k], strip(), q_);
    }
  }
}

}  // namespace tacit::scheme::ckks
