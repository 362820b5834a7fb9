#include <fmt/format.h>

#include <algorithm>

#include "graph/reference/gathered.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// Elements added before and behind every axis; negative where elements are removed.
struct Pads {
  std::vector<std::int64_t> before, behind;
};

/// Input 1 holds a pair for every axis.
Pads pads_of(const Call& call) {
  const std::size_t rank = call.input(0).shape.size();
  const std::vector<std::int64_t> pads = call.integers(1);
  if (pads.size() != 2 * rank) call.refuse(fmt::format("pads must hold {} values, not {}", 2 * rank, pads.size()));
  for (const std::int64_t pad : pads)
    if (std::abs(pad) > kLargestExtent) call.refuse(fmt::format("pads {} are outside [-2^31, 2^31]", to_text(pads)));
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(rank);
  return {{pads.begin(), middle}, {middle, pads.end()}};
}

/// The part of an axis that stays, and what is added to it.
struct Axis {
  std::int64_t start, extent, before, behind;
};

/// Where a position outside [0, extent) is read.
std::int64_t outside(const std::string& mode, std::int64_t at, std::int64_t extent) {
  if (mode == "constant" || extent == 0) return -1;
  if (mode == "edge") return std::clamp<std::int64_t>(at, 0, extent - 1);
  if (mode == "wrap") return (at % extent + extent) % extent;
  const std::int64_t period = std::max<std::int64_t>(2 * (extent - 1), 1);  // reflect: back and forth
  const std::int64_t within = (at % period + period) % period;
  return within < extent ? within : period - within;
}

std::vector<Tensor> pad(const Call& call) {
  const Tensor& input = call.input(0);
  const std::size_t rank = input.shape.size();
  const Pads pads = pads_of(call);
  const std::string mode = text_attribute(call.node, "mode");
  Shape shape;
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < rank; ++i) {
    // What a negative pad removes is gone before the rest is copied from.
    const Axis axis{
        std::max<std::int64_t>(-pads.before[i], 0),
        input.shape[i] + std::min<std::int64_t>(pads.before[i], 0) + std::min<std::int64_t>(pads.behind[i], 0),
        std::max<std::int64_t>(pads.before[i], 0), std::max<std::int64_t>(pads.behind[i], 0)};
    if (axis.extent < 0) call.refuse("a negative pad removes more than there is");
    if (mode == "reflect" && std::max(axis.before, axis.behind) >= std::max<std::int64_t>(axis.extent, 1))
      call.refuse(fmt::format("a reflected pad must be smaller than the extent {}", axis.extent));
    if (mode != "constant" && axis.extent == 0 && axis.before + axis.behind > 0)
      call.refuse(fmt::format("mode '{}' cannot fill axis {}, which has no element to copy", mode, i));
    shape.push_back(axis.before + axis.extent + axis.behind);
    axes.push_back(axis);
  }
  if (element_count(shape) == 0) return {call.zeros(shape, input.integral)};  // an axis may be longer than the bound
  IndexTables tables(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::int64_t at = -axes[i].before; at < axes[i].extent + axes[i].behind; ++at) {
      const std::int64_t from = at >= 0 && at < axes[i].extent ? at : outside(mode, at, axes[i].extent);
      tables[i].push_back(from < 0 ? -1 : axes[i].start + from);
    }
  }
  return {by_tables(call, input, tables, call.has(2) ? call.scalar(2) : 0)};
}

constexpr AttributeDeclaration kPad[] = {text("mode", "constant", "constant, reflect, edge, wrap")};

constexpr Declaration kOperators[] = {
    {"Pad", pad, 1, "x pads value?", Class::movement, kPad, 0, "constant pads; moves elements"},
};

}  // namespace

std::span<const Declaration> padding_operators() { return kOperators; }

}  // namespace tacit::graph::reference
