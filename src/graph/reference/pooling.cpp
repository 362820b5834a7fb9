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

struct Pool {
  NodeWindow window;
  Tensor result;
  std::int64_t maps = 0, in_size = 0;  ///< maps: batch times channels
};

Pool prepare(const Call& call) {
  const Tensor& input = call.input(0);
  Pool pool;
  const Shape kernel = integers_attribute(call.node, "kernel_shape");
  pool.window = window_of(call.node, input.shape, kernel);
  Shape shape{input.shape[0], input.shape[1]};
  for (const NodeAxis& axis : pool.window.spatial()) shape.push_back(axis.output);
  pool.maps = input.shape[0] * input.shape[1];
  pool.in_size = element_count(Shape(input.shape.begin() + 2, input.shape.end()));
  pool.result = call.zeros(std::move(shape), input.integral);
  return pool;
}

/// Whether a window may lie wholly in the padding.
enum class Empty : std::uint8_t { refused, allowed };

/// Calls visit(map, output offset, padded taps, depth, height and width taps) for every position of every map.
template <typename Visit>
void for_each_window(const Call& call, const Pool& pool, Empty empty, Visit visit) {
  const auto& [depth, height, width] = pool.window.axes;
  std::int64_t offset = 0;
  for (std::int64_t map = 0; map < pool.maps; ++map) {
    for (std::int64_t plane = 0; plane < depth.output; ++plane) {
      for (std::int64_t row = 0; row < height.output; ++row) {
        for (std::int64_t column = 0; column < width.output; ++column) {
          const Taps a = taps(depth, plane, depth.input), b = taps(height, row, height.input);
          const Taps c = taps(width, column, width.input);
          if (empty == Empty::refused && (a.empty() || b.empty() || c.empty()))
            call.refuse("a window lies wholly in the padding, where the operator is not defined");
          const double padded = padded_taps(depth, plane) * padded_taps(height, row) * padded_taps(width, column);
          visit(map, offset++, padded, a, b, c);
        }
      }
    }
  }
}

/// Calls read(offset within the map) for every input element of one window.
template <typename Read>
void for_each_element(const NodeWindow& window, const Taps& a, const Taps& b, const Taps& c, Read read) {
  const auto& [depth, height, width] = window.axes;
  for (std::int64_t i = a.first; i < a.last; ++i) {
    for (std::int64_t j = b.first; j < b.last; ++j) {
      const std::int64_t line =
          ((a.start + i * depth.dilation) * height.input + b.start + j * height.dilation) * width.input;
      for (std::int64_t k = c.first; k < c.last; ++k) read(line + c.start + k * width.dilation);
    }
  }
}

std::vector<Tensor> average_pool(const Call& call) {
  Pool pool = prepare(call);
  const bool count_padding = flag_attribute(call.node, "count_include_pad");
  const Tensor& input = call.input(0);
  for_each_window(
      call, pool, count_padding ? Empty::allowed : Empty::refused,
      [&](std::int64_t map, std::int64_t offset, double padded, const Taps& a, const Taps& b, const Taps& c) {
        const double* in = input.data.data() + map * pool.in_size;
        double sum = 0;
        for_each_element(pool.window, a, b, c, [&](std::int64_t at) { sum += in[at]; });
        const auto inside = static_cast<double>((a.last - a.first) * (b.last - b.first) * (c.last - c.first));
        pool.result.data[static_cast<std::size_t>(offset)] = sum / (count_padding ? padded : inside);
      });
  return {std::move(pool.result)};
}

/// An offset within one map, counted with the first axis fastest (storage_order 1).
std::int64_t column_major(const NodeWindow& window, std::int64_t at) {
  const auto& [depth, height, width] = window.axes;
  const std::int64_t column = at % width.input, row = at / width.input % height.input;
  const std::int64_t plane = at / width.input / height.input;
  return (column * height.input + row) * depth.input + plane;
}

std::vector<Tensor> max_pool(const Call& call) {
  Pool pool = prepare(call);
  const bool by_columns = flag_attribute(call.node, "storage_order");
  const Tensor& input = call.input(0);
  Tensor indices;
  if (call.wants_output(1)) indices = call.zeros(pool.result.shape, true);
  for_each_window(call, pool, Empty::refused,
                  [&](std::int64_t map, std::int64_t offset, double, const Taps& a, const Taps& b, const Taps& c) {
                    const double* in = input.data.data() + map * pool.in_size;
                    double largest = -std::numeric_limits<double>::infinity();
                    std::int64_t where = -1;
                    for_each_element(pool.window, a, b, c, [&](std::int64_t at) {
                      if (where >= 0 && !(in[at] > largest)) return;
                      largest = in[at];
                      where = at;
                    });
                    pool.result.data[static_cast<std::size_t>(offset)] = largest;
                    if (!indices.data.empty())
                      indices.data[static_cast<std::size_t>(offset)] = static_cast<double>(
                          map * pool.in_size + (by_columns ? column_major(pool.window, where) : where));
                  });
  std::vector<Tensor> results;
  results.push_back(std::move(pool.result));
  if (call.wants_output(1)) results.push_back(std::move(indices));
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
  Pool pool = prepare(call);
  pool.result.integral = false;
  const std::int64_t exponent = integer_attribute(call.node, "p");
  const Tensor& input = call.input(0);
  for_each_window(call, pool, Empty::allowed,
                  [&](std::int64_t map, std::int64_t offset, double, const Taps& a, const Taps& b, const Taps& c) {
                    const double* in = input.data.data() + map * pool.in_size;
                    double sum = 0;
                    for_each_element(pool.window, a, b, c,
                                     [&](std::int64_t at) { sum += power_of_size(in[at], exponent); });
                    pool.result.data[static_cast<std::size_t>(offset)] = root(sum, exponent);
                  });
  return {std::move(pool.result)};
}

template <typename Reduce>
std::vector<Tensor> global_pool(const Call& call, Reduce reduce) {
  const Tensor& input = call.input(0);
  if (input.shape.size() < 3) call.refuse(fmt::format("an input of shape {} has no map", to_text(input.shape)));
  Shape shape(input.shape.size(), 1);
  shape[0] = input.shape[0];
  shape[1] = input.shape[1];
  const std::int64_t size = element_count(Shape(input.shape.begin() + 2, input.shape.end()));
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

constexpr Declaration kOperators[] = {
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

std::span<const Declaration> pooling_operators() { return kOperators; }

}  // namespace tacit::graph::reference
