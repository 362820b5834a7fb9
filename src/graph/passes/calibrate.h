#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "graph/passes/network.h"
#include "graph/passes/recognise.h"

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

/// The interval that a function of a network with so many `functions` is approximated on. It is the measured range,
/// wider on either side by up to a quarter of its width. A side is widened by less where the function would become more
/// than 1.6 times as large or is not finite. Functions of degree one (degree_one.h) have an error that grows with the
/// interval. Among more than kFewFunctions they get twice the measured range at least. That costs precision in
/// the widest elements alone, for the others are stretched to as much already (element_units.h). From kManySamples
/// samples on kCalibrationMargin does else: the ends of such a range are seldom passed by more.
Range interval_of(const Function& function, const Range& measured, std::size_t samples, std::size_t functions);

/// Refuses a large network that has functions where there are no samples, as `calibrate` does, before any of it is
/// computed.
void require_samples(const Recognised& recognised, const std::vector<std::vector<Tensor>>& samples);

/// Runs the network exactly on every sample and records the range of every value (margin not included), of every
/// element of private inputs and operands of functions and products, and for every function the interval of its input
/// (margin included). Throws InputError naming the first function if there are functions but no samples.
void calibrate(Network& network, const std::vector<std::vector<Tensor>>& samples, base::Progress& progress);

/// Runs a calibrated network exactly on every sample once more: gives every function the histogram of its inputs over
/// its interval, and returns the outputs, by sample and output. With samples only.
std::vector<std::vector<std::vector<double>>> measure(Network& network, const std::vector<std::vector<Tensor>>& samples,
                                                      base::Progress& progress);

/// Without samples: bounds the values of a network without functions by interval arithmetic from the range of the
/// inputs. The bounds are safe and usually far from tight.
void bound_by_intervals(Network& network, std::pair<double, double> input_range);

}  // namespace tacit::graph::passes
