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
void gather(const NodeWindow& window, const double* in, const double* kernel, double* out) {
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

/// Adds one input channel, spread by its kernel, to one output channel.
void spread(const NodeWindow& window, const double* in, const double* kernel, double* out) {
  const auto& [depth, height, width] = window.axes;
  for (std::int64_t plane = 0; plane < depth.input; ++plane) {
    const Taps a = taps(depth, plane, depth.output);
    for (std::int64_t row = 0; row < height.input; ++row) {
      const Taps b = taps(height, row, height.output);
      for (std::int64_t column = 0; column < width.input; ++column) {
        const double value = *in++;
        if (value == 0) continue;
        const Taps c = taps(width, column, width.output);
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

/// The spatial extents of the weights.
Shape kernel_of(const Call& call) {
  const Shape &input = call.input(0).shape, &weights = call.input(1).shape;
  if (weights.size() < 3 || weights.size() > 5 || weights.size() != input.size())
    call.refuse(fmt::format("weights of shape {} do not fit an input of shape {} with 1 to 3 spatial axes",
                            to_text(weights), to_text(input)));
  Shape kernel(weights.begin() + 2, weights.end());
  const Shape stated = integers_attribute(call.node, "kernel_shape", kernel);
  if (stated != kernel)
    call.refuse(fmt::format("kernel_shape {} differs from the weights' {}", to_text(stated), to_text(kernel)));
  return kernel;
}

/// The first two axes of weights are the channels of the result and those of the input within a group; transposed, the
/// channels of the input and those of the result within a group.
std::int64_t out_channels(const Call& call, bool transposed) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 31;  // keeps every product of extents within 64 bits
  const Shape &input = call.input(0).shape, &weights = call.input(1).shape;
  const std::int64_t group = integer_attribute(call.node, "group"), in_channels = input[1];
  const bool fit = group >= 1 && in_channels % group == 0 &&
                   (transposed ? weights[0] == in_channels && weights[1] <= kLargest / std::min(group, kLargest)
                               : weights[0] % group == 0 && weights[1] == in_channels / group);
  if (!fit)
    call.refuse(fmt::format("weights of shape {} in {} groups do not fit an input of shape {}", to_text(weights), group,
                            to_text(input)));
  const std::int64_t channels = transposed ? weights[1] * group : weights[0];
  if (call.has(2) && call.input(2).size() != channels)
    call.refuse(
        fmt::format("a bias of shape {} does not fit {} output channels", to_text(call.input(2).shape), channels));
  return channels;
}

template <bool transposed>
std::vector<Tensor> convolve(const Call& call) {
  const Tensor &input = call.input(0), &weights = call.input(1);
  const Shape kernel = kernel_of(call);
  const std::int64_t batch = input.shape[0], in_channels = input.shape[1], channels = out_channels(call, transposed);
  const NodeWindow window = (transposed ? transposed_window_of : window_of)(call.node, input.shape, kernel);
  Shape shape{batch, channels};
  for (const NodeAxis& axis : window.spatial()) shape.push_back(axis.output);
  Tensor result = call.zeros(shape);
  const std::int64_t in_size = element_count(Shape(input.shape.begin() + 2, input.shape.end()));
  const std::int64_t out_size = element_count(Shape(shape.begin() + 2, shape.end()));
  const std::int64_t kernel_size = element_count(kernel), group = integer_attribute(call.node, "group");
  const std::int64_t in_per_group = in_channels / group, out_per_group = channels / group;
  for (std::int64_t n = 0; n < batch; ++n) {
    for (std::int64_t o = 0; o < channels; ++o) {
      double* out = result.data.data() + (n * channels + o) * out_size;
      if (call.has(2)) std::fill_n(out, out_size, call.input(2).data[static_cast<std::size_t>(o)]);
      for (std::int64_t i = 0; i < in_per_group; ++i) {
        const std::int64_t channel = o / out_per_group * in_per_group + i;
        const std::int64_t at = transposed ? channel * out_per_group + o % out_per_group : o * in_per_group + i;
        (transposed ? spread : gather)(window, input.data.data() + (n * in_channels + channel) * in_size,
                                       weights.data.data() + at * kernel_size, out);
      }
    }
  }
  return {std::move(result)};
}

constexpr auto kTransposed = joined(kWindow, kKernel, {extents("output_padding", 0), integers("output_shape")});

constexpr Declaration kConvolutionOperators[] = {
    {"Conv", convolve<false>, 1, "x w bias?", Class::linear, kConvolution, kRowWise | kLayer,
     "1-D to 3-D with constant weights"},
    {"ConvTranspose", convolve<true>, 1, "x w bias?", Class::linear, kTransposed, kRowWise | kLayer | kByRunning,
     "1-D to 3-D with constant weights"},
};

}  // namespace

std::span<const Declaration> convolution_operators() { return kConvolutionOperators; }

}  // namespace tacit::graph::reference
