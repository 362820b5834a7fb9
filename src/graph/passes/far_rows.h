#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "graph/far_row.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// The least factor by which a far row widens the range of all other rows.
inline constexpr double kFarFactor = 8;
/// The same factor for an element that is constant in most rows. Its other values may be of any kind.
inline constexpr double kFarFactorOfRare = 1000;

/// Rows that are far from all others, and the range of the others.
struct FarGroup {
  std::vector<std::size_t> rows;  ///< the farthest first
  Range others;
};

/// Returns the rows of an element or a channel that are far from all others. They are at most a 20th of at least 20
/// rows.
/// - Each far row widens the range of the ordinary rows at least kFarFactor times.
/// - An element is rare if less than a fifth of the ordinary rows differ from its middle, for example if most rows hold
///   0. The factor of a rare element is kFarFactorOfRare, and at least five ordinary rows differ from its middle.
/// - The gap is larger than the tail of the ordinary rows predicts. So heavy tails stay.
FarGroup far_group(std::span<const Range> rows);

/// The calibration on the ordinary rows, and the far rows.
struct OrdinaryCalibration {
  Calibrated calibrated;
  FarRows far;
  std::vector<char> stays_far;  ///< by sample that is left: true if it is far and calibrates nevertheless
};

/// Calibrates as `calibrate`, without the samples that are far from all others in an element of an input or in a later
/// value. These samples are erased from `samples`, up to the number that `trim` allows. A group of rows that exceeds it
/// stays whole. Row numbers count from `first`. `known` is a public range of the inputs, and numbers within it are not
/// far.
OrdinaryCalibration calibrate_on_ordinary(Network& network, std::vector<std::vector<Tensor>>& samples,
                                          const CalibrationTrim& trim, std::int64_t first,
                                          const std::optional<std::pair<double, double>>& known,
                                          base::Progress& progress, SampleReading reading = {});

}  // namespace tacit::graph::passes
