#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "layout/diagonal_place.h"
#include "layout/diagonals.h"

namespace tacit::layout {

/// Values of which each is kept once. Memory is that of twice as many as differ, or of kShort.
template <class T>
class Distinct {
 public:
  void add(const T& value) {
    if (!values_.empty() && values_.back() == value) return;
    values_.push_back(value);
    if (values_.size() < shorten_at_) return;
    shorten();
    shorten_at_ = std::max(kShort, 2 * values_.size());
  }
  /// Returns the values in rising order.
  const std::vector<T>& sorted() {
    shorten();
    return values_;
  }

 private:
  static constexpr std::size_t kShort = std::size_t{1} << 20;
  void shorten() {
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  }

  std::vector<T> values_;
  std::size_t shorten_at_ = kShort;
};

/// The diagonals of a map that were seen, by block. There is a bit for each, or a list of them if very many bits would
/// be zero. Not thread safe.
class SeenDiagonals {
 public:
  /// Sees nothing yet. The arguments are only read here.
  SeenDiagonals(const LinearMap& map, const DiagonalSet& set);

  /// Marks one place, which the map must have.
  void mark(const DiagonalPlace& place) {
    const Index block = place.out * inputs_ + place.in;
    if (listed_) return list_.add(block * modulus_ + place.diagonal);
    std::vector<std::uint64_t>& bits = blocks_[static_cast<std::size_t>(block)];
    if (bits.empty()) bits.resize(words_);
    bits[static_cast<std::size_t>(place.diagonal / kBits)] |= std::uint64_t{1} << (place.diagonal % kBits);
  }
  /// Marks all that `other` of the same map has seen.
  void merge(SeenDiagonals&& other);
  /// Marks every place that a step leads to from a place in `from`, which has seen diagonals of the same map. The map
  /// must have all of these places. Whole blocks are rotated at once.
  void merge_moved(SeenDiagonals& from, std::span<const DiagonalPlace> steps);

  /// Writes the diagonals, blocks and products of the set.
  void count(DiagonalSet& set);
  /// Appends to the list of every output the inputs with a diagonal, in rising order.
  void list_inputs(std::vector<std::vector<Index>>& of_outputs);

 private:
  static constexpr Index kBits = 64;

  Index inputs_, modulus_;
  bool listed_;
  std::size_t words_;
  std::vector<std::vector<std::uint64_t>> blocks_;  // by output, then input; empty where none was seen
  Distinct<Index> list_;                            // block * modulus + diagonal
};

}  // namespace tacit::layout
