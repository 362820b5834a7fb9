#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "graph/reference/operator_call.h"
#include "graph/window.h"

namespace tacit::graph::reference {
namespace {

/// Taps of one axis that read inside the padded extent: fewer than the kernel where ceil_mode ran over the end. As a
/// double, for the product over three axes of padding may be beyond 64 bits.
double padded_taps(const NodeAxis& axis, std::int64_t position) {
  const std::int64_t room = axis.input + axis.pad_end - 1 - (position * axis.stride - axis.pad_begin);
  return room < 0 ? 0 : static_cast<double>(std::min(axis.kernel, room / axis.dilation + 1));
}

/// One window on a map: its taps inside the input along every axis, and those inside the padded extent in all.
struct Place {
  const NodeWindow& window;
  Taps a, b, c;
  double padded;
  std::int64_t begin;  ///< of the map in the input
  const double* in;    ///< its first element

  std::int64_t inside() const { return (a.last - a.first) * (b.last - b.first) * (c.last - c.first); }
  /// Calls read(offset within the map) for every input element.
  template <typename Read>
  void for_each(Read read) const {
    const auto& [depth, height, width] = window.axes;
    for (std::int64_t i = a.first; i < a.last; ++i) {
      for (std::int64_t j = b.first; j < b.last; ++j) {
        const std::int64_t line =
            ((a.start + i * depth.dilation) * height.input + b.start + j * height.dilation) * width.input;
        for (std::int64_t k = c.first; k < c.last; ++k) read(line + c.start + k * width.dilation);
      }
    }
  }
};

std::int64_t map_size(const Shape& input) { return element_count(Shape(input.begin() + 2, input.end())); }

/// Whether a window may lie wholly in the padding.
enum class Empty : std::uint8_t { refused, allowed };

/// Of every position of every map, value(place).
template <typename Value>
Tensor pooled(const Call& call, Empty empty, Value value) {
  const Tensor& input = call.input(0);
  const NodeWindow window = window_of(call.node, input.shape, integers_attribute(call.node, "kernel_shape"));
  Shape shape{input.shape[0], input.shape[1]};
  for (const NodeAxis& axis : window.spatial()) shape.push_back(axis.output);
  const std::int64_t maps = shape[0] * shape[1], size = map_size(input.shape);
  Tensor result = call.zeros(std::move(shape), input.integral);
  double* out = result.data.data();
  const auto& [depth, height, width] = window.axes;
  for (std::int64_t map = 0; map < maps; ++map) {
    for (std::int64_t plane = 0; plane < depth.output; ++plane) {
      for (std::int64_t row = 0; row < height.output; ++row) {
        for (std::int64_t column = 0; column < width.output; ++column) {
          const Taps a = taps(depth, plane, depth.input), b = taps(height, row, height.input);
          const Taps c = taps(width, column, width.input);
          if (empty == Empty::refused && (a.empty() || b.empty() || c.empty()))
            call.refuse("a window lies wholly in the padding, where the operator is not defined");
          const double padded = padded_taps(depth, plane) * padded_taps(height, row) * padded_taps(width, column);
          *out++ = value(Place{window, a, b, c, padded, map * size, input.data.data() + map * size});
        }
      }
    }
  }
  return result;
}

std::vector<Tensor> average_pool(const Call& call) {
  const bool count_padding = flag_attribute(call.node, "count_include_pad");
  return {pooled(call, count_padding ? Empty::allowed : Empty::refused, [&](const Place& place) {
    double sum = 0;
    place.for_each([&](std::int64_t at) { sum += place.in[at]; });
    return sum / (count_padding ? place.padded : static_cast<double>(place.inside()));
  })};
}

/// An offset within one map, counted with the first axis fastest (storage_order 1).
std::int64_t column_major(const NodeWindow& window, std::int64_t at) {
  const auto& [depth, height, width] = window.axes;
  const std::int64_t column = at % width.input, row = at / width.input % height.input;
  const std::int64_t plane = at / width.input / height.input;
  return (column * height.input + row) * depth.input + plane;
}

std::vector<Tensor> max_pool(const Call& call) {
  const bool by_columns = flag_attribute(call.node, "storage_order");
  std::vector<double> places;
  Tensor result = pooled(call, Empty::refused, [&](const Place& place) {
    double largest = -std::numeric_limits<double>::infinity();
    std::int64_t where = -1;
    place.for_each([&](std::int64_t at) {
      if (where >= 0 && !(place.in[at] > largest)) return;
      largest = place.in[at];
      where = at;
    });
    if (call.wants_output(1))
      places.push_back(static_cast<double>(place.begin + (by_columns ? column_major(place.window, where) : where)));
    return largest;
  });
  std::vector<Tensor> results;
  results.push_back(std::move(result));
  if (call.wants_output(1)) results.push_back({results[0].shape, std::move(places), true});
  return results;
}

/// |x|^p, the usual powers without the mathematical library.
double power_of_size(double x, std::int64_t exponent) {
  if (exponent == 1) return std::abs(x);
  return exponent == 2 ? x * x : std::pow(std::abs(x), static_cast<double>(exponent));
}

double root(double sum, std::int64_t exponent) {
  if (exponent == 1) return sum;
  return exponent == 2 ? std::sqrt(sum) : std::pow(sum, 1 / static_cast<double>(exponent));
}

/// The p-norm of every window. The padding counts for nothing.
std::vector<Tensor> norm_pool(const Call& call) {
  const std::int64_t exponent = integer_attribute(call.node, "p");
  Tensor result = pooled(call, Empty::allowed, [&](const Place& place) {
    double sum = 0;
    place.for_each([&](std::int64_t at) { sum += power_of_size(place.in[at], exponent); });
    return root(sum, exponent);
  });
  result.integral = false;
  return {std::move(result)};
}

template <typename Reduce>
std::vector<Tensor> global_pool(const Call& call, Reduce reduce) {
  const Tensor& input = call.input(0);
  if (input.shape.size() < 3) call.refuse(fmt::format("an input of shape {} has no map", to_text(input.shape)));
  Shape shape(input.shape.size(), 1);
  shape[0] = input.shape[0];
  shape[1] = input.shape[1];
  const std::int64_t size = map_size(input.shape);
  if (size == 0) call.refuse("a map without elements cannot be pooled");
  Tensor result = call.zeros(std::move(shape));
  for (std::size_t map = 0; map < result.data.size(); ++map) {
    const double* in = input.data.data() + static_cast<std::int64_t>(map) * size;
    result.data[map] = reduce(in, in + size);
  }
  return {std::move(result)};
}

std::vector<Tensor> global_average_pool(const Call& call) {
  return global_pool(call, [](const double* first, const double* last) {
    return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
  });
}

std::vector<Tensor> global_max_pool(const Call& call) {
  return global_pool(call, [](const double* first, const double* last) { return *std::max_element(first, last); });
}

std::vector<Tensor> global_norm_pool(const Call& call) {
  const std::int64_t exponent = integer_attribute(call.node, "p");
  return global_pool(call, [=](const double* first, const double* last) {
    double sum = 0;
    for (const double* at = first; at != last; ++at) sum += power_of_size(*at, exponent);
    return root(sum, exponent);
  });
}

constexpr AttributeDeclaration kOrder[] = {integer("p", 2, 1, kLargestExtent)};
constexpr AttributeDeclaration kPool[] = {flag("ceil_mode"), extents("kernel_shape", 1, true)};
constexpr auto kAveragePool = joined(kWindow, kPool, {flag("count_include_pad")});
constexpr auto kMaxPool = joined(kWindow, kPool, {flag("storage_order")});
constexpr auto kLpPool = joined(kWindow, kPool, kOrder);

constexpr Declaration kPoolingOperators[] = {
    {"AveragePool", average_pool, 1, "x", Class::linear, kAveragePool, kRowWise | kByRunning, "1-D to 3-D"},
    {"MaxPool", max_pool, 1, "x -> y indices?", Class::maxima, kMaxPool, kRowWise | kByRunning},
    {"GlobalAveragePool", global_average_pool, 1, "x", Class::linear, kNoAttributes, kRowWise,
     "affine; joins its neighbours"},
    {"GlobalMaxPool", global_max_pool, 1, "x", Class::maxima, kNoAttributes, kRowWise},
    {"LpPool", norm_pool, 1, "x", Class::written_out, kLpPool, kRowWise | kByRunning,
     "orders 1 and 2: magnitudes or squares, a convolution with ones, a root"},
    {"GlobalLpPool", global_norm_pool, 1, "x", Class::written_out, kOrder, kRowWise,
     "orders 1 and 2: magnitudes or squares, their sum, a root"},
};

}  // namespace

std::span<const Declaration> pooling_operators() { return kPoolingOperators; }

}  // namespace tacit::graph::reference
