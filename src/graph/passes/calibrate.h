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

/// Refuses a large network that has functions where there are no samples, as `calibrate` does, before any of it is
/// computed.
void require_samples(const Recognised& recognised, const std::vector<std::vector<Tensor>>& samples);

/// What samples show of a network beside ranges.
struct Calibrated {
  SampleOutputs outputs;
  FunctionInputs inputs{};
};

/// Values whose elements calibration tells apart.
enum class ToldApart {
  operands,   ///< private inputs, and the operands of functions and products
  everything  ///< all values, with the means of their elements: programs on integers have a unit for every element
};

/// How `calibrate` reads samples.
struct SampleReading {
  ToldApart elements = ToldApart::operands;
  /// Whether a value may hold numbers that are not finite, as features of trees may. They are left out.
  std::function<bool(ValueId value)> may_miss{};
  std::vector<std::size_t> numbers{};  ///< of the samples, where they do not count from 0
  /// Called for every value of every block of samples, on any thread.
  SampleRun::BlockBody also{};
};

/// Runs the network exactly on every sample and records the range of every value (margin not included) and of every
/// element of the values that are told apart. Chooses the interval of every function (function_intervals.h). Throws
/// InputError naming the first function if there are functions but no samples, or the sample and node of a number that
/// is not finite.
Calibrated calibrate(Network& network, const std::vector<std::vector<Tensor>>& samples, base::Progress& progress,
                     const SampleReading& reading = {});

/// By value, whether its elements are told apart: private inputs, the inputs of functions and the operands of products.
std::vector<char> told_apart(const Network& network);

/// Gives every function of a calibrated network the histogram of its inputs over its interval, as they are stretched
/// now.
void measure(Network& network, const FunctionInputs& inputs);

/// Without samples: bounds the values of a network without functions by interval arithmetic from the range of the
/// inputs. The bounds are safe and usually far from tight.
void bound_by_intervals(Network& network, std::pair<double, double> input_range);

}  // namespace tacit::graph::passes
