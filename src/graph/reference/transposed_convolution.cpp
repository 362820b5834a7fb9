#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 31;  // keeps every product below within 64 bits

/// One axis: input position i and tap k add to output position i * stride + k * dilation - pad_begin.
struct TransposedAxis {
  std::int64_t input = 1, output = 1, kernel = 1, stride = 1, dilation = 1, pad_begin = 0;
};

/// Rank 1 and 2 are seen as rank 3 with leading axes of extent 1.
using TransposedWindow = std::array<TransposedAxis, 3>;

std::vector<std::int64_t> bounded(const Call& call, const char* name, std::size_t count, std::int64_t fallback) {
  std::vector<std::int64_t> values = integers_attribute(call.node, name);
  if (values.empty()) values.assign(count, fallback);
  if (values.size() != count) call.refuse(fmt::format("attribute '{}' must hold {} values", name, count));
  for (const std::int64_t value : values) {
    if (value < fallback || value > kLargest)
      call.refuse(fmt::format("attribute '{}' holds {}, outside [{}, {}]", name, value, fallback, kLargest));
  }
  return values;
}

TransposedWindow window_of(const Call& call, const Shape& input, const Shape& kernel) {
  const std::size_t rank = kernel.size();
  const auto strides = bounded(call, "strides", rank, 1), dilations = bounded(call, "dilations", rank, 1);
  const auto extra = bounded(call, "output_padding", rank, 0), pads = bounded(call, "pads", 2 * rank, 0);
  const bool stated = !integers_attribute(call.node, "output_shape").empty();
  // Some exporters state batch and channels as well.
  std::vector<std::int64_t> wanted = integers_attribute(call.node, "output_shape");
  if (wanted.size() == rank + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (stated && wanted.size() != rank) call.refuse(fmt::format("output_shape must hold {} values", rank));
  const std::string automatic = text_attribute(call.node, "auto_pad", "NOTSET");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!same && automatic != "NOTSET" && automatic != "VALID")
    call.refuse(fmt::format("auto_pad '{}' is none of NOTSET, VALID, SAME_UPPER, SAME_LOWER", automatic));

  TransposedWindow window;
  for (std::size_t i = 0; i < rank; ++i) {
    TransposedAxis& axis = window[3 - rank + i];
    axis.input = input[i + 2];
    axis.kernel = kernel[i];
    axis.stride = strides[i];
    axis.dilation = dilations[i];
    if (axis.kernel < 1 || axis.input < 1)
      call.refuse(fmt::format("a kernel {} on an input of shape {} is empty", to_text(kernel), to_text(input)));
    const std::int64_t full = (axis.input - 1) * axis.stride + extra[i] + (axis.kernel - 1) * axis.dilation + 1;
    if (stated || same) {
      axis.output = stated ? wanted[i] : axis.input * axis.stride;
      if (axis.output < 1 || axis.output > kLargest)
        call.refuse(fmt::format("an output extent of {} is outside [1, 2^31]", axis.output));
      const std::int64_t padding = std::max<std::int64_t>(full - axis.output, 0);
      axis.pad_begin = automatic == "SAME_UPPER" ? padding / 2 : padding - padding / 2;
      continue;
    }
    if (automatic == "NOTSET") axis.pad_begin = pads[i];
    axis.output = full - axis.pad_begin - (automatic == "NOTSET" ? pads[i + rank] : 0);
    if (axis.output < 1) call.refuse("its pads remove the whole output");
  }
  return window;
}

/// Taps [first, last) of one axis that an input position adds to the output.
struct Taps {
  std::int64_t start, first, last;  ///< tap k goes to start + k * dilation
};

Taps taps(const TransposedAxis& axis, std::int64_t position) {
  const std::int64_t start = position * axis.stride - axis.pad_begin;
  const std::int64_t first = start >= 0 ? 0 : std::min(axis.kernel, (-start + axis.dilation - 1) / axis.dilation);
  const std::int64_t room = axis.output - 1 - start;
  const std::int64_t last = room < 0 ? first : std::min(axis.kernel, room / axis.dilation + 1);
  return {start, first, std::max(first, last)};
}

/// Adds one input channel, spread by its kernel, to one output channel.
void spread(const TransposedWindow& window, const double* in, const double* kernel, double* out) {
  const auto& [depth, height, width] = window;
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
  const std::int64_t group = integer_attribute(call.node, "group", 1);
  const std::int64_t batch = input.shape[0], in_channels = input.shape[1], out_per_group = weights.shape[1];
  if (group < 1 || in_channels % group != 0 || weights.shape[0] != in_channels ||
      out_per_group > kLargest / std::min(group, kLargest))
    call.refuse(fmt::format("weights of shape {} in {} groups do not fit an input of shape {}", to_text(weights.shape),
                            group, to_text(input.shape)));
  const std::int64_t out_channels = out_per_group * group, in_per_group = in_channels / group;
  if (call.has(2) && call.input(2).size() != out_channels)
    call.refuse(
        fmt::format("a bias of shape {} does not fit {} output channels", to_text(call.input(2).shape), out_channels));

  const TransposedWindow window = window_of(call, input.shape, kernel);
  Shape shape{batch, out_channels};
  for (std::size_t i = 3 - kernel.size(); i < 3; ++i) shape.push_back(window[i].output);
  Tensor result = zeros(shape);
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

constexpr NamedOperator kOperators[] = {{"ConvTranspose", convolve_transposed}};

}  // namespace

std::span<const NamedOperator> transposed_convolution_operators() { return kOperators; }

}  // namespace tacit::graph::reference
