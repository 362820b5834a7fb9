#pragma once

#include <cstddef>
#include <vector>

#include "base/progress.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Share of the measured width that a range is widened by on each side.
inline constexpr double kCalibrationMargin = 0.1;

/// So many samples show the range of a value well.
inline constexpr std::size_t kManySamples = 256;

/// In networks with more functions, an input that no sample shows is likely to leave the range of one of them.
inline constexpr std::size_t kFewFunctions = 8;

/// Share of an element's own largest value that is kept free above it in the interval of a function of degree one.
inline constexpr double kStretchMargin = 1.0;

/// A known range with that margin; a constant one, which has no width, by a tenth of its value, at least 1e-3.
Range widened(const Range& range);

/// What the samples show of a function's input.
struct Shown {
  Range range;
  Range with_errors;  ///< the range, and beside it the errors of the series before
};

/// The interval that a function of a network with so many `functions` is approximated on. It is the range that samples
/// show, wider on either side by up to a quarter of its width, and as far as errors reach. A side is widened by less
/// where the function would become more than 1.6 times as large or is not finite. Functions of degree one
/// (scalar_function.h) have an error that grows with the interval. Among more than kFewFunctions they get twice the
/// range at least. That costs precision in the widest elements alone, for the others are stretched to as much already
/// (element_units.h). From kManySamples samples on kCalibrationMargin does else: the ends of such a range are seldom
/// passed by more.
Range interval_of(const Function& function, const Shown& shown, std::size_t samples, std::size_t functions);

/// What an element of a function's input may reach by the errors of the series before. Of a calibrated network.
const Range& reach_of(const Value& input, std::size_t element);

/// Chooses the interval of every function, in order. Series err, so that a function behind another one reads something
/// else than the samples show. The network is run on the first samples with every function off by the error of a
/// series of moderate degree, of random sign. How far every element of the input of the next function then reaches is
/// recorded (`Value::reached`). The same samples get the same signs. Needs at least one sample and recorded ranges.
void choose_intervals(Network& network, const std::vector<std::vector<Tensor>>& samples, base::Progress& progress);

}  // namespace tacit::graph::passes
