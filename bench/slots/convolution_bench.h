#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "layout/layout.h"
#include "params/cost_table.h"

namespace tacit::bench {

/// A convolution of one sample, and its time limit on two threads of a Zen 5 class core.
struct ConvolutionCase {
  std::string name;
  layout::Shape in, weight;  ///< [channels, rows, columns] and [output channels, channels, rows, columns]
  layout::Index stride = 1, padding = 0;
  double bar_seconds = 0, goal_seconds = 0;

  layout::Shape out() const;
  double published_seconds = 0;  ///< on one thread, all parts; 0: none is known
  std::string published{};       ///< published method
  /// The rotations of the published method (MetaKernel, OOPSLA 2025, as counted in its logs); 0: none is known.
  layout::Index published_rotations = 0;
};

/// Returns six cases. The first is the stem of a ResNet on an image of 224 x 224. Then come the 3 x 3 convolutions of
/// ResNet-18's four stages. The last is the 1 x 1 convolution of ResNet-50 that makes 512 channels of 2,048.
std::vector<ConvolutionCase> convolution_cases();

struct ConvolutionBenchOptions {
  params::CostTable costs{};  ///< prices for the plans
  int log_n = 16;
  int depth = 3;    ///< levels of the set: inputs are encrypted at the highest
  int repeats = 3;  ///< timings of a run; the median counts
  bool plan_only = false;
};

/// Plans a convolution with random weights as a model of one operator, and executes it on an encrypted random input. It
/// compares the result with graph/reference. Returns the measurements and the plan, as JSON. Memory is the largest
/// resident set of the process. `show` receives texts about the current step.
nlohmann::ordered_json run_convolution(const ConvolutionCase& convolution, const ConvolutionBenchOptions& options,
                                       const std::function<void(const std::string&)>& show);

/// Returns results for people: a table, then the plans.
std::string convolution_bench_text(const nlohmann::ordered_json& results);

}  // namespace tacit::bench
