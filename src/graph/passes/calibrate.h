#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/function_inputs.h"
#include "graph/passes/network.h"
#include "graph/passes/recognise.h"

namespace tacit::graph::passes {

/// Throws InputError for a large network that has functions if there are no samples. `calibrate` would throw it too,
/// but only after much computation.
void require_samples(const Recognised& recognised, const std::vector<std::vector<Tensor>>& samples);

/// The results of a calibration in addition to the ranges in the network.
struct Calibrated {
  SampleOutputs outputs;    ///< outputs of the samples
  FunctionInputs inputs{};  ///< sample of the inputs of functions
};

/// The values whose elements have separate ranges.
enum class ToldApart {
  operands,   ///< private inputs, and the operands of functions and products
  everything  ///< all values, with the means of their elements: programs on integers have a unit for every element
};

/// How `calibrate` reads samples.
struct SampleReading {
  ToldApart elements = ToldApart::operands;
  /// True if a value may hold numbers that are not finite, as features of trees may. These numbers are left out.
  std::function<bool(ValueId value)> may_miss{};
  std::vector<std::size_t> numbers{};  ///< numbers of the samples in messages, if they do not count from 0
  /// Called for every value of every block of samples, on any thread.
  SampleRun::BlockBody also{};
};

/// Runs the network exactly on every sample. Records the range of every value (margin not included), and the range of
/// every element of the values that have separate ranges. Chooses the interval of every function
/// (function_intervals.h). Throws InputError naming the first function if there are functions but no samples. Throws
/// InputError naming the sample and the node of a number that is not finite.
Calibrated calibrate(Network& network, const std::vector<std::vector<Tensor>>& samples, base::Progress& progress,
                     const SampleReading& reading = {});

/// Returns by value whether its elements have separate ranges: private inputs, inputs of functions, operands of
/// products.
std::vector<char> told_apart(const Network& network);

/// Gives every function of a calibrated network the histogram of its inputs over its interval, in the present stretch
/// of the inputs.
void measure(Network& network, const FunctionInputs& inputs);

/// Bounds the values of a network without functions by interval arithmetic from the range of the inputs. Needs no
/// samples. The bounds are safe and usually far from tight.
void bound_by_intervals(Network& network, std::pair<double, double> input_range);

}  // namespace tacit::graph::passes
