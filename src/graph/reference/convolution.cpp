#include <fmt/format.h>

#include <algorithm>

#include "graph/reference/operator_call.h"
#include "graph/window.h"

namespace tacit::graph::reference {
namespace {

/// Output positions [first, last) of one axis whose tap k reads inside the input.
struct Reach {
  std::int64_t first, last;
};

Reach reach(const NodeAxis& axis, std::int64_t tap) {
  const std::int64_t shift = tap * axis.dilation - axis.pad_begin;  // reads o * stride + shift
  const std::int64_t first = shift >= 0 ? 0 : (-shift + axis.stride - 1) / axis.stride;
  const std::int64_t beyond = axis.input - 1 - shift;
  const std::int64_t last = beyond < 0 ? 0 : std::min(axis.output, beyond / axis.stride + 1);
  return {std::min(first, last), last};
}

void add_scaled(double* out, const double* in, double weight, std::int64_t count, std::int64_t stride) {
  if (stride == 1) {
    for (std::int64_t i = 0; i < count; ++i) out[i] += weight * in[i];
  } else {
    for (std::int64_t i = 0; i < count; ++i) out[i] += weight * in[i * stride];
  }
}

/// Adds one input channel, convolved with its kernel, to one output channel.
void accumulate(const NodeWindow& window, const double* in, const double* kernel, double* out) {
  const auto& [depth, height, width] = window.axes;
  for (std::int64_t a = 0; a < depth.kernel; ++a) {
    const Reach planes = reach(depth, a);
    for (std::int64_t b = 0; b < height.kernel; ++b) {
      const Reach rows = reach(height, b);
      for (std::int64_t c = 0; c < width.kernel; ++c) {
        const double weight = *kernel++;
        const Reach columns = reach(width, c);
        if (weight == 0 || columns.first >= columns.last) continue;
        const std::int64_t from = columns.first * width.stride + c * width.dilation - width.pad_begin;
        for (std::int64_t plane = planes.first; plane < planes.last; ++plane) {
          const std::int64_t in_plane = plane * depth.stride + a * depth.dilation - depth.pad_begin;
          for (std::int64_t row = rows.first; row < rows.last; ++row) {
            const std::int64_t in_row = row * height.stride + b * height.dilation - height.pad_begin;
            add_scaled(out + (plane * height.output + row) * width.output + columns.first,
                       in + (in_plane * height.input + in_row) * width.input + from, weight,
                       columns.last - columns.first, width.stride);
          }
        }
      }
    }
  }
}

std::vector<Tensor> convolve(const Call& call) {
  const Tensor &input = call.input(0), &weights = call.input(1);
  if (weights.shape.size() < 3 || weights.shape.size() != input.shape.size())
    call.refuse(fmt::format("weights of shape {} do not fit an input of shape {}", to_text(weights.shape),
                            to_text(input.shape)));
  const Shape kernel(weights.shape.begin() + 2, weights.shape.end());
  const Shape stated = integers_attribute(call.node, "kernel_shape", kernel);
  if (stated != kernel)
    call.refuse(fmt::format("kernel_shape {} differs from the weights' {}", to_text(stated), to_text(kernel)));
  const NodeWindow window = window_of(call.node, input.shape, kernel);

  const std::int64_t group = integer_attribute(call.node, "group");
  const std::int64_t batch = input.shape[0], in_channels = input.shape[1];
  const std::int64_t out_channels = weights.shape[0], in_per_group = weights.shape[1];
  if (group < 1 || in_channels % group != 0 || in_channels / group != in_per_group || out_channels % group != 0)
    call.refuse(fmt::format("weights of shape {} in {} groups do not fit an input of shape {}", to_text(weights.shape),
                            group, to_text(input.shape)));
  if (call.has(2) && call.input(2).size() != out_channels)
    call.refuse(
        fmt::format("a bias of shape {} does not fit {} output channels", to_text(call.input(2).shape), out_channels));

  Shape shape{batch, out_channels};
  for (std::size_t i = 3 - window.rank; i < 3; ++i) shape.push_back(window.axes[i].output);
  Tensor result = call.zeros(shape);
  const std::int64_t in_size = element_count(Shape(input.shape.begin() + 2, input.shape.end()));
  const std::int64_t out_size = element_count(Shape(shape.begin() + 2, shape.end()));
  const std::int64_t kernel_size = element_count(kernel);
  const std::int64_t out_per_group = out_channels / group;
  for (std::int64_t n = 0; n < batch; ++n) {
    for (std::int64_t o = 0; o < out_channels; ++o) {
      double* out = result.data.data() + (n * out_channels + o) * out_size;
      if (call.has(2)) std::fill_n(out, out_size, call.input(2).data[static_cast<std::size_t>(o)]);
      for (std::int64_t i = 0; i < in_per_group; ++i) {
        const std::int64_t channel = o / out_per_group * in_per_group + i;
        accumulate(window, input.data.data() + (n * in_channels + channel) * in_size,
                   weights.data.data() + (o * in_per_group + i) * kernel_size, out);
      }
    }
  }
  return {std::move(result)};
}

constexpr Declaration kOperators[] = {
    {"Conv", convolve, 1, "x w bias?", Class::linear, kConvolution, kRowWise | kLayer,
     "1-D to 3-D with constant weights"},
};

}  // namespace

std::span<const Declaration> convolution_operators() { return kOperators; }

}  // namespace tacit::graph::reference
