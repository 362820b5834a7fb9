#include "graph/passes/window.h"

#include <algorithm>

#include "graph/attribute.h"

namespace tacit::graph::passes {

Window window_of(const Node& node, const Shape& input, std::vector<std::int64_t> kernel) {
  if (input.size() < 3) refuse(node, "the input needs batch, channels and at least one spatial dimension");
  const std::size_t rank = input.size() - 2;
  const std::vector<std::int64_t> ones(rank, 1);
  Window window{integers_attribute(node, "kernel_shape", std::move(kernel)),
                integers_attribute(node, "strides", ones),
                integers_attribute(node, "dilations", ones),
                std::vector<std::int64_t>(rank, 0),
                std::vector<std::int64_t>(rank, 0)};
  if (window.kernel.size() != rank || window.strides.size() != rank || window.dilations.size() != rank)
    refuse(node, "kernel_shape, strides and dilations need one number per spatial dimension");
  const std::string automatic = text_attribute(node, "auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t extent = input[d + 2], stride = window.strides[d];
      const std::int64_t reach = (window.kernel[d] - 1) * window.dilations[d] + 1;
      const std::int64_t total = std::max<std::int64_t>(0, ((extent + stride - 1) / stride - 1) * stride + reach - extent);
      const std::int64_t smaller = total / 2;
      window.begin_pads[d] = automatic == "SAME_UPPER" ? smaller : total - smaller;
      window.end_pads[d] = total - window.begin_pads[d];
    }
  } else if (automatic == "NOTSET") {
    const std::vector<std::int64_t> pads = integers_attribute(node, "pads", std::vector<std::int64_t>(2 * rank, 0));
    if (pads.size() != 2 * rank) refuse(node, "pads needs two numbers per spatial dimension");
    std::copy_n(pads.begin(), rank, window.begin_pads.begin());
    std::copy_n(pads.begin() + static_cast<std::ptrdiff_t>(rank), rank, window.end_pads.begin());
  } else if (automatic != "VALID") {
    refuse(node, "auto_pad " + automatic + " is not known");
  }
  return window;
}

}  // namespace tacit::graph::passes
