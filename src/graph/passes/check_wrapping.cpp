#include "graph/passes/check_wrapping.h"

#include <algorithm>

#include "base/error.h"
#include "graph/integers.h"
#include "graph/passes/calibrate.h"

namespace tacit::graph::passes {
namespace {

bool is_wide(IntegerType type) { return type == IntegerType::int64 || type == IntegerType::uint64; }

/// Returns the tensor that a value computes in integers of fewer than 64 bits. Null for other values.
const TensorInfo* narrow_integers(const Value& value, const Graph& graph) {
  if (std::holds_alternative<Private>(value.operation) || value.tensor >= graph.tensors.size()) return nullptr;
  const TensorInfo& info = graph.tensors[value.tensor];
  return info.integral && !is_wide(info.integers) ? &info : nullptr;
}

/// Returns the range of all inputs by their types. None if one holds reals.
std::optional<std::pair<double, double>> range_of_types(const Graph& graph) {
  std::pair<double, double> all{0, 0};
  for (const TensorId id : graph.inputs) {
    const TensorInfo& info = graph.tensors[id];
    if (!info.integral) return std::nullopt;
    const IntegerRange range = range_of(info.integers);
    all = {std::min(all.first, range.lowest), std::max(all.second, range.highest)};
  }
  return all;
}

}  // namespace

void check_wrapping(const Network& network, const Graph& encrypted, const std::vector<std::vector<Tensor>>& samples,
                    std::optional<std::pair<double, double>> input_range) {
  if (std::ranges::none_of(network.values, [&](const Value& value) { return narrow_integers(value, encrypted); }))
    return;
  Network measured = network;
  if (!samples.empty()) {
    calibrate(measured, samples, base::Progress::silent());
  } else if (const auto range = input_range ? input_range : range_of_types(encrypted)) {
    bound_by_intervals(measured, *range);
  }
  for (const Value& value : measured.values) {
    const TensorInfo* info = narrow_integers(value, encrypted);
    if (info == nullptr || !value.range.known()) continue;
    const IntegerRange type = range_of(info->integers);
    if (type.contains(value.range.lowest) && type.contains(value.range.highest)) continue;
    base::refuse(
        "node '{}' ({}): its integers may reach {:.6g} to {:.6g} and have the type {}, in which they would "
        "wrap around; encrypted values do not: cast to a wider type first, or show with --calibrate or "
        "--input-range that they stay inside",
        value.node, value.op, value.range.lowest, value.range.highest, name_of(info->integers));
  }
}

}  // namespace tacit::graph::passes
