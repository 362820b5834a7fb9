#include "graph/passes/calibrated_ranges.h"

#include <fmt/format.h>

#include "base/error.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/element_units.h"

namespace tacit::graph::passes {
namespace {

std::vector<Range> by_group(const std::vector<Range>& ranges, const Shape& shape) {
  if (ranges.empty()) return {};
  const std::vector<std::size_t> groups = stretched_together(shape);
  std::vector<Range> result(groups.back() + 1);
  for (std::size_t e = 0; e < groups.size(); ++e) result[groups[e]].include(ranges[e]);
  return result;
}

[[noreturn]] void refuse(const std::string& what) {
  base::refuse(
      "the ranges do not fit the network: {}; they were changed, or measured by another release: run "
      "'tacit calibrate' again",
      what);
}

std::vector<Range> by_element(const std::vector<Range>& noted, const Value& value) {
  if (noted.empty()) return {};
  const std::vector<std::size_t> groups = stretched_together(value.shape);
  if (groups.empty() || noted.size() != groups.back() + 1)
    refuse(fmt::format("node '{}' ({}) has {} elements or channels, and they hold {}", value.node, value.op,
                       groups.empty() ? 0 : groups.back() + 1, noted.size()));
  std::vector<Range> ranges;
  ranges.reserve(groups.size());
  for (const std::size_t group : groups) ranges.push_back(noted[group]);
  return ranges;
}

}  // namespace

void record_ranges(const Network& network, Calibration& calibration) {
  for (const Value& value : network.values) {
    CalibratedValue noted{value.node, value.range};
    noted.elements = by_group(value.element_ranges, value.shape);
    noted.reached = by_group(value.reached, value.shape);
    if (const auto* function = std::get_if<Function>(&value.operation))
      noted.function = CalibratedFunction{{function->lowest, function->highest}, 0, {}};
    calibration.values.push_back(std::move(noted));
  }
}

SampleOutputs restore_ranges(Network& network, const Calibration& calibration) {
  if (calibration.values.size() != network.values.size())
    refuse(
        fmt::format("they hold {} values, and the network has {}", calibration.values.size(), network.values.size()));
  const std::vector<char> apart = told_apart(network);
  std::vector<char> output(network.values.size(), 0);
  for (const ValueId id : network.outputs) output[id] = 1;
  for (ValueId id = 0; id < network.values.size(); ++id) {
    Value& value = network.values[id];
    const CalibratedValue& noted = calibration.values[id];
    auto* function = std::get_if<Function>(&value.operation);
    if (noted.node != value.node || noted.function.has_value() != (function != nullptr) ||
        (apart[id] != 0 && noted.elements.empty()) || (apart[id] == 0 && output[id] == 0 && !noted.elements.empty()))
      refuse(fmt::format("value {} belongs to node '{}' ({})", id, value.node, value.op));
    value.range = noted.range;
    value.element_ranges = by_element(noted.elements, value);
    value.reached = by_element(noted.reached, value);
    if (!function) continue;
    function->lowest = noted.function->interval.lowest;
    function->highest = noted.function->interval.highest;
  }
  return {};
}

}  // namespace tacit::graph::passes
