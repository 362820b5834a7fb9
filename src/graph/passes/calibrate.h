#pragma once

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

/// Runs the network exactly on every sample and records the range of every value (margin not included), of every
/// element of private inputs and operands of functions and products, and chooses the interval of every
/// function (function_intervals.h). Throws InputError naming the first function if there are functions but no samples,
/// or the sample and node of a number that is not finite. `numbers` are those of the samples where they do not count
/// from 0; `also` is called for every value of every block of samples, on any thread.
Calibrated calibrate(Network& network, const std::vector<std::vector<Tensor>>& samples, base::Progress& progress,
                     const std::vector<std::size_t>& numbers = {}, const SampleRun::BlockBody& also = {});

/// By value, whether its elements are told apart: private inputs, the inputs of functions and the operands of products.
std::vector<char> told_apart(const Network& network);

/// Gives every function of a calibrated network the histogram of its inputs over its interval, as they are stretched
/// now.
void measure(Network& network, const FunctionInputs& inputs);

/// Without samples: bounds the values of a network without functions by interval arithmetic from the range of the
/// inputs. The bounds are safe and usually far from tight.
void bound_by_intervals(Network& network, std::pair<double, double> input_range);

}  // namespace tacit::graph::passes
