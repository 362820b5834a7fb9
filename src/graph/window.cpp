#include "graph/window.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/attribute.h"

namespace tacit::graph {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// What a window knows before it is padded: the extents of its input and kernel, its strides and its dilations.
NodeWindow unpadded_window_of(const Node& node, const Shape& input, const Shape& kernel) {
  NodeWindow window;
  window.rank = kernel.size();
  const auto strides = by_axis(node, "strides", window.rank, 1), dilations = by_axis(node, "dilations", window.rank, 1);
  for (std::size_t i = 0; i < window.rank; ++i) {
    NodeAxis& axis = window.axes[3 - window.rank + i];
    axis.input = input[i + 2];
    axis.kernel = kernel[i];
    axis.stride = strides[i];
    axis.dilation = dilations[i];
  }
  return window;
}

}  // namespace

std::vector<std::int64_t> by_axis(const Node& node, const char* name, std::size_t count, std::int64_t fallback) {
  std::vector<std::int64_t> values = integers_attribute(node, name);
  if (values.empty()) values.assign(count, fallback);
  if (values.size() != count) refuse(node, fmt::format("attribute '{}' must hold {} values", name, count));
  return values;
}

NodeWindow window_of(const Node& node, const Shape& input, const Shape& kernel) {
  if (input.size() < 3 || input.size() > 5)
    refuse(node, fmt::format("an input of shape {} has {} spatial axes; 1 to 3 are supported", to_text(input),
                             static_cast<std::int64_t>(input.size()) - 2));
  const std::size_t rank = input.size() - 2;
  if (kernel.size() != rank)
    refuse(node,
           fmt::format("a kernel of shape {} does not fit an input of shape {}", to_text(kernel), to_text(input)));
  NodeWindow window = unpadded_window_of(node, input, kernel);
  const auto pads = by_axis(node, "pads", 2 * rank, 0);
  const std::string automatic = text_attribute(node, "auto_pad");
  const bool round_up = integer_attribute(node, "ceil_mode", 0) != 0;

  for (std::size_t i = 0; i < rank; ++i) {
    NodeAxis& axis = window.axes[3 - rank + i];
    if (axis.kernel < 1 || axis.kernel > kLargestExtent)
      refuse(node, fmt::format("the kernel {} is empty", to_text(kernel)));
    const std::int64_t span = (axis.kernel - 1) * axis.dilation + 1;
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
      axis.output = divide_up(axis.input, axis.stride);
      const std::int64_t padding = std::max<std::int64_t>((axis.output - 1) * axis.stride + span - axis.input, 0);
      axis.pad_begin = automatic == "SAME_UPPER" ? padding / 2 : padding - padding / 2;
      axis.pad_end = padding - axis.pad_begin;
      continue;
    }
    if (automatic == "NOTSET") {
      axis.pad_begin = pads[i];
      axis.pad_end = pads[i + rank];
    }
    const std::int64_t room = axis.input + axis.pad_begin + axis.pad_end - span;
    if (room < 0)
      refuse(node, fmt::format("a window that spans {} positions is larger than the padded input extent {}", span,
                               axis.input + axis.pad_begin + axis.pad_end));
    axis.output = (round_up ? divide_up(room, axis.stride) : room / axis.stride) + 1;
    // A window that would start in the padding behind the input is none, though ceil_mode counts it.
    if (round_up && (axis.output - 1) * axis.stride >= axis.input + axis.pad_begin) --axis.output;
  }
  return window;
}

NodeWindow transposed_window_of(const Node& node, const Shape& input, const Shape& kernel) {
  const std::size_t rank = kernel.size();
  NodeWindow window = unpadded_window_of(node, input, kernel);
  const auto extra = by_axis(node, "output_padding", rank, 0), pads = by_axis(node, "pads", 2 * rank, 0);
  const bool stated = !integers_attribute(node, "output_shape").empty();
  // Some exporters state batch and channels as well.
  std::vector<std::int64_t> wanted = integers_attribute(node, "output_shape");
  if (wanted.size() == rank + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (stated && wanted.size() != rank) refuse(node, fmt::format("output_shape must hold {} values", rank));
  const std::string automatic = text_attribute(node, "auto_pad");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";

  for (std::size_t i = 0; i < rank; ++i) {
    NodeAxis& axis = window.axes[3 - rank + i];
    if (axis.kernel < 1 || axis.input < 1)
      refuse(node, fmt::format("a kernel {} on an input of shape {} is empty", to_text(kernel), to_text(input)));
    const std::int64_t full = (axis.input - 1) * axis.stride + extra[i] + (axis.kernel - 1) * axis.dilation + 1;
    if (stated || same) {
      axis.output = stated ? wanted[i] : std::min(axis.input * axis.stride, full);  // nothing is added, as elsewhere
      if (axis.output < 1 || axis.output > kLargestExtent)
        refuse(node, fmt::format("an output extent of {} is outside [1, 2^31]", axis.output));
      const std::int64_t padding = std::max<std::int64_t>(full - axis.output, 0);
      axis.pad_begin = automatic == "SAME_UPPER" ? padding / 2 : padding - padding / 2;
      continue;
    }
    if (automatic == "NOTSET") axis.pad_begin = pads[i];
    axis.output = full - axis.pad_begin - (automatic == "NOTSET" ? pads[i + rank] : 0);
    if (axis.output < 1) refuse(node, "its pads remove the whole output");
  }
  return window;
}

}  // namespace tacit::graph
