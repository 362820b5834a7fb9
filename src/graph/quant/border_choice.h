#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/sha256.h"

namespace tacit::graph::quant {

/// A value at which comparisons of trees change: the last value before the change.
struct Candidate {
  double border = 0;
  double weight = 0;  ///< cost of a sample on the wrong side
};

/// The borders of one element's grid, rising, and a value that represents each interval. There is one interval more
/// than borders.
struct ChosenBorders {
  std::vector<double> borders, points;
};

/// Chooses `count` borders. `shown` are the samples' numbers, rising.
/// - If there are at most `count` candidates, all are borders. Decoys fill the rest, so that the list does not reveal
///   the number of thresholds. They are drawn from `shown` and from the range around it, by the seed.
/// - Otherwise candidates are left out one after the other. Each time it is the one whose loss sends the least weight
///   of samples another way.
///
/// With `single` all borders are numbers of single precision.
ChosenBorders choose_borders(std::span<const Candidate> candidates, std::span<const double> shown, std::size_t count,
                             bool single, const base::Digest& seed, std::uint64_t stream);

}  // namespace tacit::graph::quant
