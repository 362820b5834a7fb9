#include "graph/transposed_window.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/attribute.h"

namespace tacit::graph {
NodeWindow transposed_window_of(const Node& node, const Shape& input, const Shape& kernel) {
  const std::size_t rank = kernel.size();
  const auto strides = by_axis(node, "strides", rank, 1), dilations = by_axis(node, "dilations", rank, 1);
  const auto extra = by_axis(node, "output_padding", rank, 0), pads = by_axis(node, "pads", 2 * rank, 0);
  const bool stated = !integers_attribute(node, "output_shape").empty();
  // Some exporters state batch and channels as well.
  std::vector<std::int64_t> wanted = integers_attribute(node, "output_shape");
  if (wanted.size() == rank + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (stated && wanted.size() != rank) refuse(node, fmt::format("output_shape must hold {} values", rank));
  const std::string automatic = text_attribute(node, "auto_pad");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";

  NodeWindow window;
  window.rank = rank;
  for (std::size_t i = 0; i < rank; ++i) {
    NodeAxis& axis = window.axes[3 - rank + i];
    axis.input = input[i + 2];
    axis.kernel = kernel[i];
    axis.stride = strides[i];
    axis.dilation = dilations[i];
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
