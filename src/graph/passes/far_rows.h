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

/// So much wider than the range of all other rows is a range that a row stretches far.
inline constexpr double kFarFactor = 8;
/// The same for an element that is constant in most rows: its other values may be of any kind.
inline constexpr double kFarFactorOfRare = 1000;

/// Rows that lie far, and the range of all others.
struct FarGroup {
  std::vector<std::size_t> rows;  ///< the farthest first
  Range others;
};

/// The rows of an element or a channel that lie far from all others. They are at most a 20th of at least 20 rows.
/// - Each far row widens the range of the ordinary rows at least kFarFactor times.
/// - An element is rare if less than a fifth of the ordinary rows differ from its middle, as where most rows hold 0.
/// The
///   factor of a rare element is kFarFactorOfRare, and at least five ordinary rows differ from its middle.
/// - The gap is larger than the tail of the ordinary rows predicts. So heavy tails stay.
FarGroup far_group(std::span<const Range> rows);

/// What `calibrate` gives on the ordinary rows, and which rows are not.
struct OrdinaryCalibration {
  Calibrated calibrated;
  FarRows far;
  std::vector<char> stays_far;  ///< by sample that is left: it lies far, and calibrates all the same
};

/// As `calibrate`, on the samples without those that lie far from all others in an element of an input, or in a value
/// behind. These are erased from `samples`, as many as `trim` allows; a group of rows that is larger stays whole. Row
/// numbers count from `first`. What is `known` of the inputs' range is public, and numbers within it do not lie far.
OrdinaryCalibration calibrate_on_ordinary(Network& network, std::vector<std::vector<Tensor>>& samples,
                                          const CalibrationTrim& trim, std::int64_t first,
                                          const std::optional<std::pair<double, double>>& known,
                                          base::Progress& progress, SampleReading reading = {});

}  // namespace tacit::graph::passes
