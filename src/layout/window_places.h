#pragma once

#include <vector>

#include "layout/operators/window.h"
#include "layout/seen_diagonals.h"

namespace tacit::layout {

/// Returns true if the axes of `fine` can be joined, and axes of extent 1 added, to give the axes of `coarse`.
bool joins_to(const Shape& fine, const Shape& coarse);

/// The places of the entries of a map that slides a window. A place is a sum of steps: one by channels, which depends
/// on the weights of a tap, and one for each spatial axis, the batch and the copies of an output.
class WindowPlaces {
 public:
  /// The arguments must outlive this object. Both layouts must join to the shapes of the window, and an input must have
  /// one copy within a period.
  WindowPlaces(const LinearMap& map, const DiagonalSet& set, const WindowPattern& pattern);

  /// Marks the place of every entry.
  void mark(SeenDiagonals& seen) const;

 private:
  /// In rising order, each once.
  using Steps = std::vector<DiagonalPlace>;

  DiagonalPlace place(std::size_t axis, Index in, Index out) const {
    const Position &source = in_[axis][static_cast<std::size_t>(in)],
                   &target = out_[axis][static_cast<std::size_t>(out)];
    return {target.ciphertext, source.ciphertext, (source.slot - target.slot) & (set_.modulus - 1)};
  }
  Steps copies() const;
  Steps batches() const;
  Steps along(std::size_t axis, Index tap_of_axis) const;
  SeenDiagonals channels(Index tap) const;

  const LinearMap& map_;
  const DiagonalSet& set_;
  const WindowPattern& pattern_;
  std::vector<std::vector<Position>> in_, out_;  // by axis of the window and index
};

}  // namespace tacit::layout
