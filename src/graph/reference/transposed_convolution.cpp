#include <fmt/format.h>

#include <algorithm>

#include "graph/reference/operator_call.h"
#include "graph/transposed_window.h"
#include "graph/window.h"

namespace tacit::graph::reference {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 31;  // keeps every product below within 64 bits

/// Taps [first, last) of one axis that an input position adds to the output.
struct Taps {
  std::int64_t start, first, last;  ///< tap k goes to start + k * dilation
};

Taps taps(const NodeAxis& axis, std::int64_t position) {
  const std::int64_t start = position * axis.stride - axis.pad_begin;
  const std::int64_t first = start >= 0 ? 0 : std::min(axis.kernel, (-start + axis.dilation - 1) / axis.dilation);
  const std::int64_t room = axis.output - 1 - start;
  const std::int64_t last = room < 0 ? first : std::min(axis.kernel, room / axis.dilation + 1);
  return {start, first, std::max(first, last)};
}

/// Adds one input channel, spread by its kernel, to one output channel.
void spread(const NodeWindow& window, const double* in, const double* kernel, double* out) {
  const auto& [depth, height, width] = window.axes;
  for (std::int64_t plane = 0; plane < depth.input; ++plane) {
    const Taps a = taps(depth, plane);
    for (std::int64_t row = 0; row < height.input; ++row) {
      const Taps b = taps(height, row);
      for (std::int64_t column = 0; column < width.input; ++column) {
        const double value = *in++;
        if (value == 0) continue;
        const Taps c = taps(width, column);
        for (std::int64_t i = a.first; i < a.last; ++i) {
          for (std::int64_t j = b.first; j < b.last; ++j) {
            const double* weights = kernel + (i * height.kernel + j) * width.kernel;
            double* line =
                out + ((a.start + i * depth.dilation) * height.output + b.start + j * height.dilation) * width.output;
            for (std::int64_t k = c.first; k < c.last; ++k) line[c.start + k * width.dilation] += value * weights[k];
          }
        }
      }
    }
  }
}

std::vector<Tensor> convolve_transposed(const Call& call) {
  const Tensor &input = call.input(0), &weights = call.input(1);
  if (weights.shape.size() < 3 || weights.shape.size() > 5 || weights.shape.size() != input.shape.size())
    call.refuse(fmt::format("weights of shape {} do not fit an input of shape {} with 1 to 3 spatial axes",
                            to_text(weights.shape), to_text(input.shape)));
  const Shape kernel(weights.shape.begin() + 2, weights.shape.end());
  const Shape stated = integers_attribute(call.node, "kernel_shape", kernel);
  if (stated != kernel)
    call.refuse(fmt::format("kernel_shape {} differs from the weights' {}", to_text(stated), to_text(kernel)));
  const std::int64_t group = integer_attribute(call.node, "group");
  const std::int64_t batch = input.shape[0], in_channels = input.shape[1], out_per_group = weights.shape[1];
  if (group < 1 || in_channels % group != 0 || weights.shape[0] != in_channels ||
      out_per_group > kLargest / std::min(group, kLargest))
    call.refuse(fmt::format("weights of shape {} in {} groups do not fit an input of shape {}", to_text(weights.shape),
                            group, to_text(input.shape)));
  const std::int64_t out_channels = out_per_group * group, in_per_group = in_channels / group;
  if (call.has(2) && call.input(2).size() != out_channels)
    call.refuse(
        fmt::format("a bias of shape {} does not fit {} output channels", to_text(call.input(2).shape), out_channels));

  const NodeWindow window = transposed_window_of(call.node, input.shape, kernel);
  Shape shape{batch, out_channels};
  for (std::size_t i = 3 - kernel.size(); i < 3; ++i) shape.push_back(window.axes[i].output);
  Tensor result = call.zeros(shape);
  const std::int64_t in_size = element_count(Shape(input.shape.begin() + 2, input.shape.end()));
  const std::int64_t out_size = element_count(Shape(shape.begin() + 2, shape.end()));
  const std::int64_t kernel_size = element_count(kernel);
  for (std::int64_t n = 0; n < batch; ++n) {
    for (std::int64_t o = 0; o < out_channels; ++o) {
      double* out = result.data.data() + (n * out_channels + o) * out_size;
      if (call.has(2)) std::fill_n(out, out_size, call.input(2).data[static_cast<std::size_t>(o)]);
      for (std::int64_t i = 0; i < in_per_group; ++i) {
        const std::int64_t channel = o / out_per_group * in_per_group + i;
        spread(window, input.data.data() + (n * in_channels + channel) * in_size,
               weights.data.data() + (channel * out_per_group + o % out_per_group) * kernel_size, out);
      }
    }
  }
  return {std::move(result)};
}

constexpr auto kTransposed = joined(kWindow, kKernel, {extents("output_padding", 0), integers("output_shape")});

constexpr Declaration kOperators[] = {
    {"ConvTranspose", convolve_transposed, 1, "x w bias?", Class::linear, kTransposed, kRowWise | kLayer | kByRunning,
     "1-D to 3-D with constant weights"},
};

}  // namespace

std::span<const Declaration> transposed_convolution_operators() { return kOperators; }

}  // namespace tacit::graph::reference
