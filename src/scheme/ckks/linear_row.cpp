#include "scheme/ckks/linear_row.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "ring/limb.h"

namespace tacit::scheme::ckks {

namespace limb = ring::limb;

namespace {

/// Strips of rotated inputs that are used together: half of a second-level cache.
constexpr std::size_t kStripBytes = std::size_t{512} << 10;

/// Products by 0 are at most one in so many.
constexpr std::size_t kProductsPerZero = 4;

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
      rotations_(map, group, row),
      room_(rotations_.strip(), 2 * map.babies_.size() * together_),
      sum_(rotations_.strip(), 2 * limb::pairs_together()) {
  for (std::size_t first = group_.first; first < group_.last; first += together_) {
    std::vector<Products>& list = products_.emplace_back();
    for (std::size_t begin = 0; begin < batch_.size(); begin = list.back().accumulators.last)
      list.push_back(products_from(begin, together_from(first)));
    std::vector<char>& read = read_.emplace_back(map.babies_.size() * together_from(first).size());
    for (const Products& products : list)
      for (const std::size_t place : products.rotated) read[place] = 1;
  }
}

LinearTransform::Row::Products LinearTransform::Row::products_from(std::size_t begin, Group inputs) const {
  for (std::size_t count = std::min(limb::pairs_together(), batch_.size() - begin);; --count) {
    Products products = products_of({begin, begin + count}, inputs);
    if (count == 1) return products;
    const auto absent = std::ranges::count(products.factors, nullptr, &limb::FactorRow::words);
    const auto like_first = [&](const limb::FactorRow& factor) {
      return factor.log_times == products.factors[0].log_times;
    };
    if (static_cast<std::size_t>(absent) * kProductsPerZero <= products.factors.size() &&
        std::ranges::all_of(products.factors, like_first))
      return products;
  }
}

LinearTransform::Row::Products LinearTransform::Row::products_of(Group accumulators, Group inputs) const {
  // By rotated input, and how many diagonals of the same accumulator came before with it.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<limb::FactorRow>> factors;
  for (std::size_t a = accumulators.first; a < accumulators.last; ++a)
    for (std::size_t i = inputs.first; i < inputs.last; ++i)
      for (const Term& term : batch_[a].terms[i]) {
        if (rotations_.vanishes(term.baby)) continue;
        std::pair<std::size_t, std::size_t> key{(i - inputs.first) * map_.babies_.size() + term.baby, 0};
        const auto taken = [&] {
          const auto found = factors.find(key);
          return found != factors.end() && found->second[a - accumulators.first].words != nullptr;
        };
        while (taken()) ++key.second;
        auto& row = factors[key];
        row.resize(accumulators.size());
        row[a - accumulators.first] = {term.diagonal->rows.limb(row_),
                                       static_cast<std::size_t>(std::countr_zero(term.diagonal->block))};
      }
  Products products{.accumulators = accumulators, .rotated = {}, .factors = {}};
  for (const auto& [key, row] : factors) products.rotated.push_back(key.first);
  for (std::size_t a = 0; a < accumulators.size(); ++a)
    for (const auto& [key, row] : factors) {
      // Zeros repeat as often as the others, so that the kernel meets one kind of row.
      const auto present = std::ranges::find_if(row, [](const limb::FactorRow& f) { return f.words != nullptr; });
      products.factors.push_back(row[a].words != nullptr ? row[a] : limb::FactorRow{nullptr, present->log_times});
    }
  return products;
}

void LinearTransform::Row::make(std::size_t at, std::span<std::uint64_t* const> out) {
  const std::size_t babies = map_.babies_.size();
  std::size_t piece = 0;
  for (std::size_t first = group_.first; first < group_.last; first += together_) {
    const Group inputs = together_from(first);
    rotated_.clear();
    const std::vector<char>& read = read_[piece];
    for (std::size_t i = inputs.first; i < inputs.last; ++i)
      for (std::size_t k = 0; k < babies; ++k) {
        const std::size_t place = rotated_.size();
        rotated_.emplace_back();
        if (read[place] != 0)
          rotated_.back() = rotations_.make(i, k, at / strip(), room_[2 * place], room_[2 * place + 1]);
      }
    for (const Products& products : products_[piece++]) add(at, products, first == group_.first, out);
  }
}

void LinearTransform::Row::add(std::size_t at, const Products& products, bool first,
                               std::span<std::uint64_t* const> out) {
  static constexpr std::array<std::uint64_t, ring::limb::kPermutedWords> kZeros{};
  factors_ = products.factors;
  // Of a mirrored row the first half is kept, and read backwards for the second.
  const std::size_t n = map_.chain_.n();
  const bool backwards = map_.mirrored_ && at >= n / 2;
  for (limb::FactorRow& factor : factors_) {
    factor.backwards = backwards;
    if (factor.words == nullptr)
      factor.words = backwards ? &kZeros.back() : kZeros.data();
    else
      factor.words += (backwards ? n - 1 - at : at) >> factor.log_times;
  }
  for (std::size_t k = 0; k < 2; ++k) {
    strips_[k].clear();
    for (const std::size_t r : products.rotated) strips_[k].push_back(rotated_[r][k]);
  }
  const std::size_t count = products.accumulators.size();
  const std::span<std::uint64_t* const> sums = out.subspan(2 * products.accumulators.first, 2 * count);
  if (first) return limb::dot_pairs(sums, factors_, strips_[0], strips_[1], strip(), q_);
  if (products.rotated.empty()) return;
  more_.clear();
  for (std::size_t k = 0; k < sums.size(); ++k) more_.push_back(sum_[k]);
  limb::dot_pairs(more_, factors_, strips_[0], strips_[1], strip(), q_);
  for (std::size_t k = 0; k < sums.size(); ++k) limb::add(sums[k], sums[k], more_[k], strip(), q_);
}

}  // namespace tacit::scheme::ckks
