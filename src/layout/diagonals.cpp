#include "layout/diagonals.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"

namespace tacit::layout {
namespace {

DiagonalSet frame(const LinearMap& map) {
  if (map.in.slots() != map.out.slots())
    throw base::InternalError("a linear map joins layouts with different numbers of slots");
  DiagonalSet set;
  set.slots = map.in.slots();
  set.period = std::max(map.in.period(), map.out.period());
  set.modulus = std::min(map.in.period(), map.out.period());
  for (Index fold = map.in.period() / 2; fold >= map.out.period(); fold /= 2) set.folds.push_back(fold);
  return set;
}

/// Where every entry of the map goes: body(output ciphertext, input ciphertext, diagonal, accumulator, weight). With
/// p_out > p_in the base slot of an output names one accumulator; its copies beyond the base are the caller's.
template <class F>
void for_each_entry(const LinearMap& map, const DiagonalSet& set, const F& body) {
  const Index rows = element_count(map.out.shape());
  for (Index row = 0; row < rows; ++row) {
    const Position target = map.out.position_of(row);
    map.op->row(row, [&](Index column, double weight) {
      const Position source = map.in.position_of(column);
      const Index difference = source.slot - target.slot;
      const Index diagonal = ((difference % set.modulus) + set.modulus) % set.modulus;
      const Index accumulator = (((source.slot - diagonal) % set.period) + set.period) % set.period;
      body(target.ciphertext, source.ciphertext, diagonal, map.out.period() >= map.in.period() ? target.slot : accumulator,
           weight);
    });
  }
}

/// The slots of one period that hold a copy of each base slot: digits that replicate inside the period.
std::vector<Index> copies_within_period(const Layout& layout) {
  std::vector<Index> offsets{0};
  Index weight = 1;
  for (auto digit = layout.within().rbegin(); digit != layout.within().rend() && weight < layout.period(); ++digit) {
    if (digit->dim == kReplica) {
      const std::size_t known = offsets.size();
      for (Index copy = 1; copy < digit->extent; ++copy)
        for (std::size_t i = 0; i < known; ++i) offsets.push_back(offsets[i] + copy * weight);
    }
    weight *= digit->extent;
  }
  return offsets;
}

}  // namespace

DiagonalSet diagonal_set(const LinearMap& map) {
  if (copies_within_period(map.out).size() > 1) return diagonals(map).set;
  DiagonalSet set = frame(map);
  std::vector<std::unordered_set<Index>> seen(static_cast<std::size_t>(map.out.ciphertexts() * map.in.ciphertexts()));
  for_each_entry(map, set, [&](Index out, Index in, Index diagonal, Index, double) {
    seen[static_cast<std::size_t>(out * map.in.ciphertexts() + in)].insert(diagonal);
  });
  for (const auto& block : seen) {
    set.blocks += block.empty() ? 0 : 1;
    set.products += static_cast<Index>(block.size());
    set.diagonals.insert(block.begin(), block.end());
  }
  return set;
}

Diagonals diagonals(const LinearMap& map, Index only_output) {
  Diagonals result;
  result.set = frame(map);
  DiagonalSet& set = result.set;
  result.blocks.assign(static_cast<std::size_t>(map.out.ciphertexts()),
                       std::vector<DiagonalBlock>(static_cast<std::size_t>(map.in.ciphertexts())));
  const std::vector<Index> copies = copies_within_period(map.out);
  const auto put = [&](Index out, Index in, Index diagonal, Index accumulator, double weight) {
    auto& weights = result.blocks[static_cast<std::size_t>(out)][static_cast<std::size_t>(in)][diagonal];
    if (weights.empty()) weights.resize(static_cast<std::size_t>(set.period));
    weights[static_cast<std::size_t>(accumulator)] += weight;
  };
  for_each_entry(map, set, [&](Index out, Index in, Index diagonal, Index accumulator, double weight) {
    if (only_output >= 0 && out != only_output) return;
    put(out, in, diagonal, accumulator, weight);
    for (std::size_t copy = 1; copy < copies.size(); ++copy) {
      // A copy inside the period is another target slot: it reads the same source on a diagonal of its own.
      const Index moved = (((diagonal - copies[copy]) % set.modulus) + set.modulus) % set.modulus;
      const Index shift = map.out.period() >= map.in.period() ? copies[copy] : diagonal - moved;
      put(out, in, moved, (((accumulator + shift) % set.period) + set.period) % set.period, weight);
    }
  });
  for (const auto& row : result.blocks)
    for (const DiagonalBlock& block : row) {
      set.blocks += block.empty() ? 0 : 1;
      set.products += static_cast<Index>(block.size());
      for (const auto& [diagonal, weights] : block) set.diagonals.insert(diagonal);
    }
  return result;
}

}  // namespace tacit::layout
