#pragma once

#include <cstddef>
#include <vector>

#include "base/progress.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// The share of the measured width by which a range is widened on each side.
inline constexpr double kCalibrationMargin = 0.1;

/// The number of samples that show the range of a value well.
inline constexpr std::size_t kManySamples = 256;

/// The most functions of a network whose inputs are unlikely to leave their ranges. With more functions, an input that
/// no sample shows is likely to leave the range of one of them.
inline constexpr std::size_t kFewFunctions = 8;

/// The share of an element's own largest value that the interval of a function of degree one leaves free above it.
inline constexpr double kStretchMargin = 1.0;

/// Widens a known range by kCalibrationMargin of its width on each side. A constant range has no width. It is widened
/// by a tenth of its value, and by at least 1e-3.
Range widened(const Range& range);

/// The measured inputs of a function.
struct Shown {
  Range range;        ///< the range, extended by the errors of the series before
  Range with_errors;  ///< the range, and beside it the errors of the series before
};

/// Returns the interval on which a function is approximated, in a network with `functions` functions. The interval is
/// the range of the samples, widened on either side by up to a quarter of its width and to where errors reach. A side
/// is widened by less if the function would become more than 1.6 times as large, or is not finite there. If
/// every share of the width is too much, a side towards 0 is divided by up to 1.6.
///
/// The error of a function of degree one (scalar_function.h) grows with the interval. Two rules differ for such
/// functions:
/// - Among more than kFewFunctions functions, the interval is at least twice the range. That costs precision in the
///   widest elements only, because the other elements are stretched as far already (element_units.h).
/// - With kManySamples samples or more, the margin is kCalibrationMargin, because inputs seldom pass the ends of such a
///   range by more.
Range interval_of(const Function& function, const Shown& shown, std::size_t samples, std::size_t functions);

/// Returns the range that an element of a function's input may reach by the errors of the series before. `input` is a
/// value of a calibrated network.
const Range& reach_of(const Value& input, std::size_t element);

/// Chooses the interval of every function, in order. Series have errors, so that a function after another one reads
/// other numbers than the samples show. The network is run on the first samples with an error added to every function.
/// The error has the size of that of a series of moderate degree, and a random sign. `Value::reached` records how far
/// every element of the next function's input then reaches. The same samples get the same signs. Needs at least one
/// sample and recorded ranges.
void choose_intervals(Network& network, const std::vector<std::vector<Tensor>>& samples, base::Progress& progress);

}  // namespace tacit::graph::passes
