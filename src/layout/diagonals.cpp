#include "layout/diagonals.h"

#include <algorithm>
#include <mutex>

#include "base/error.h"
#include "base/parallel.h"

namespace tacit::layout {
namespace {

DiagonalSet frame(const LinearMap& map) {
  if (map.in.slots() != map.out.slots())
    throw base::InternalError("a linear map joins layouts with different numbers of slots");
  if (element_count(map.op->in_shape()) != element_count(map.in.shape()) ||
      element_count(map.op->out_shape()) != element_count(map.out.shape()))
    throw base::InternalError("a linear operator has another size than its layouts");
  DiagonalSet set;
  set.slots = map.in.slots();
  set.period = std::max(map.in.period(), map.out.period());
  set.modulus = std::min(map.in.period(), map.out.period());
  for (Index fold = map.in.period() / 2; fold >= map.out.period(); fold /= 2) set.folds.push_back(fold);
  return set;
}

/// Where every entry of these rows of the map goes: body(output ciphertext, input ciphertext, diagonal, accumulator,
/// weight). Periods are powers of two, so that remainders are masks.
template <class F>
void for_each_entry(const LinearMap& map, const DiagonalSet& set, Index first_row, Index last_row, Index only_output,
                    const F& body) {
  const Index in_mask = map.in.period() - 1, modulus_mask = set.modulus - 1;
  const bool folded = map.out.period() < map.in.period();
  const std::vector<Index> all = map.out.copies();
  const std::vector<Index> copies(all.begin(), std::lower_bound(all.begin(), all.end(), map.out.period()));
  std::vector<Position> sources(static_cast<std::size_t>(element_count(map.in.shape())));
  for (std::size_t e = 0; e < sources.size(); ++e) sources[e] = map.in.position_of(static_cast<Index>(e));
  RowEntries entries;
  for (Index row = first_row; row < last_row; ++row) {
    const Position target = map.out.position_of(row);
    if (only_output >= 0 && target.ciphertext != only_output) continue;
    entries.clear();
    map.op->append_row(row, entries);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (entries.weights[k] == 0) continue;
      const Position& source = sources[static_cast<std::size_t>(entries.columns[k])];
      for (const Index copy : copies) {
        const Index slot = target.slot + copy;
        const Index diagonal = (source.slot - slot) & modulus_mask;
        body(target.ciphertext, source.ciphertext, diagonal, folded ? (source.slot - diagonal) & in_mask : slot,
             entries.weights[k]);
      }
    }
  }
}

}  // namespace

DiagonalSet diagonal_set(const LinearMap& map) {
  DiagonalSet set = frame(map);
  const Index inputs = map.in.ciphertexts();
  using Seen = std::vector<std::vector<char>>;  // by block, then diagonal
  Seen seen(static_cast<std::size_t>(map.out.ciphertexts() * inputs));
  const Index rows = element_count(map.out.shape());
  const Index parts = std::min<Index>(rows, base::thread_limit());
  std::mutex mutex;
  base::parallel_for(0, static_cast<std::size_t>(parts), [&](std::size_t part) {
    const auto at = static_cast<Index>(part);
    Seen own(seen.size());
    std::vector<char*> blocks(seen.size(), nullptr);
    const auto block_of = [&](Index out, Index in) {
      const auto block = static_cast<std::size_t>(out * inputs + in);
      if (blocks[block] == nullptr) {
        own[block].resize(static_cast<std::size_t>(set.modulus));
        blocks[block] = own[block].data();
      }
      return blocks[block];
    };
    for_each_entry(map, set, rows * at / parts, rows * (at + 1) / parts, -1,
                   [&](Index out, Index in, Index diagonal, Index, double) { block_of(out, in)[diagonal] = 1; });
    const std::lock_guard lock(mutex);
    for (std::size_t b = 0; b < seen.size(); ++b) {
      if (seen[b].empty()) seen[b] = std::move(own[b]);
      for (std::size_t d = 0; d < own[b].size(); ++d)
        if (own[b][d] != 0) seen[b][d] = 1;
    }
  });
  std::vector<char> any(static_cast<std::size_t>(set.modulus));
  for (const auto& block : seen) {
    set.blocks += block.empty() ? 0 : 1;
    for (std::size_t d = 0; d < block.size(); ++d) {
      if (block[d] == 0) continue;
      ++set.products;
      any[d] = 1;
    }
  }
  for (std::size_t d = 0; d < any.size(); ++d)
    if (any[d] != 0) set.diagonals.insert(set.diagonals.end(), static_cast<Index>(d));
  return set;
}

std::vector<double> weights_of(const DiagonalSet& set, const DiagonalBlock& block, Index diagonal) {
  const auto found = block.find(diagonal & (set.modulus - 1));
  if (found == block.end()) return {};
  std::vector<double> weights = found->second;
  // Rotating the input by a multiple of its own period changes nothing; where sums fold, the accumulator moves instead,
  // by a multiple of the output's period, which the folds undo.
  if (!set.folds.empty())
    std::rotate(weights.begin(), weights.begin() + ((diagonal - found->first) & (set.period - 1)), weights.end());
  return weights;
}

Diagonals diagonals(const LinearMap& map, Index only_output) {
  Diagonals result;
  result.set = frame(map);
  DiagonalSet& set = result.set;
  const auto inputs = static_cast<std::size_t>(map.in.ciphertexts());
  result.blocks.assign(static_cast<std::size_t>(map.out.ciphertexts()), std::vector<DiagonalBlock>(inputs));
  // By block and diagonal: where its weights are, so that a hit costs no search.
  std::vector<std::vector<std::vector<double>*>> known(result.blocks.size() * inputs);
  for_each_entry(map, set, 0, element_count(map.out.shape()), only_output,
                 [&](Index out, Index in, Index diagonal, Index accumulator, double weight) {
                   auto& block = known[static_cast<std::size_t>(out) * inputs + static_cast<std::size_t>(in)];
                   if (block.empty()) block.resize(static_cast<std::size_t>(set.modulus));
                   auto& weights = block[static_cast<std::size_t>(diagonal)];
                   if (weights == nullptr) {
                     weights = &result.blocks[static_cast<std::size_t>(out)][static_cast<std::size_t>(in)][diagonal];
                     weights->resize(static_cast<std::size_t>(set.period));
                   }
                   (*weights)[static_cast<std::size_t>(accumulator)] += weight;
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
