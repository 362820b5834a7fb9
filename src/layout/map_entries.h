#pragma once

#include <utility>
#include <vector>

#include "layout/diagonals.h"

namespace tacit::layout {

/// Returns the frame of a map's diagonals, as its layouts give it; no diagonal is counted yet. Throws InternalError for
/// layouts that do not fit the operator or each other.
DiagonalSet frame_of(const LinearMap& map);

/// Returns true if the weights of all diagonals of a map take at most so many bytes before they are shortened. It reads
/// no more entries than that takes.
bool has_few_weights(const LinearMap& map, std::size_t most_bytes);

/// Walks the entries of a map. If an input has copies, the walk reads the copy at the place of the output
/// (Layout::copy_at). Immutable, thread safe.
class MapEntries {
 public:
  MapEntries(const LinearMap& map, const DiagonalSet& set)
      : map_(map),
        sources_(map.in.positions()),
        targets_(map.out.positions()),
        copies_(map.out.copies_in_period()),
        nearest_(nearest_copies(map)),
        in_mask_(map.in.period() - 1),
        modulus_mask_(set.modulus - 1) {}
  Index rows() const { return static_cast<Index>(targets_.size()); }

  /// The working memory of a walk. A row number may occur only once in the walks with one Scratch.
  struct Scratch {
    RowEntries entries;
    std::vector<Index> latest;  // row that last read a column
  };

  /// Calls body(output ciphertext, input ciphertext, diagonal, accumulator, weight) for every entry of rows [first,
  /// last). Entries of one diagonal have different accumulators. Periods are powers of two, so that remainders are
  /// masks.
  template <class F>
  void visit(Index first, Index last, Index only_output, const F& body) const {
    Scratch scratch;
    visit(first, last, only_output, scratch, body);
  }
  template <class F>
  void visit(Index first, Index last, Index only_output, Scratch& scratch, const F& body) const {
    const bool folded = map_.out.period() < map_.in.period();
    auto& [entries, latest] = scratch;
    if (latest.empty()) latest.resize(sources_.size(), -1);
    for (Index row = first; row < last; ++row) {
      const Position& target = targets_[static_cast<std::size_t>(row)];
      if (only_output >= 0 && target.ciphertext != only_output) continue;
      entries.clear();
      map_.op->append_row(row, entries);
      bool twice = false;
      for (const Index column : entries.columns)
        twice |= std::exchange(latest[static_cast<std::size_t>(column)], row) == row;
      if (twice) entries.merge();
      for (std::size_t k = 0; k < entries.size(); ++k) {
        if (entries.weights[k] == 0) continue;
        const Position& source = sources_[static_cast<std::size_t>(entries.columns[k])];
        for (const Index copy : copies_) {
          const Index slot = target.slot + copy;
          const Index from = nearest_.empty() ? source.slot : source.slot + nearest_[static_cast<std::size_t>(slot)];
          const Index diagonal = (from - slot) & modulus_mask_;
          body(target.ciphertext, source.ciphertext, diagonal, folded ? (from - diagonal) & in_mask_ : slot,
               entries.weights[k]);
        }
      }
    }
  }

 private:
  // By slot of the output: the copy of an input that it reads. The list is empty without copies within a period.
  static std::vector<Index> nearest_copies(const LinearMap& map) {
    std::vector<Index> nearest;
    if (map.in.copies_in_period().size() < 2) return nearest;
    for (Index slot = 0; slot < map.out.slots(); ++slot)
      nearest.push_back(map.in.copy_at(slot) & (map.in.period() - 1));
    return nearest;
  }

  const LinearMap& map_;
  std::vector<Position> sources_, targets_;
  std::vector<Index> copies_, nearest_;
  Index in_mask_, modulus_mask_;
};

}  // namespace tacit::layout
