#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

/// Sum and its relatives: start, then step(accumulator, element), then finish(accumulator, number of elements).
struct Fold {
  double start;
  double (*step)(double, double);
  double (*finish)(double, double);
};

/// Empty where the node names no axis: all of them, or none with noop_with_empty_axes.
std::vector<std::int64_t> stated_axes(const Call& call) {
  if (call.has(1)) return call.integers(1);
  return integers_attribute(call.node, "axes");
}

std::vector<Tensor> reduce(const Call& call, const Fold& fold) {
  const Tensor& input = call.input(0);
  const std::size_t rank = input.shape.size();
  std::vector<bool> reduced(rank, false);
  const std::vector<std::int64_t> axes = stated_axes(call);
  for (const std::int64_t axis : axes) reduced[normal_axis(call.node, axis, rank)] = true;
  if (axes.empty()) {
    if (integer_attribute(call.node, "noop_with_empty_axes", 0) != 0) return {input};
    reduced.assign(rank, true);
  }
  Shape kept(rank), shape;
  std::int64_t count = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    kept[i] = reduced[i] ? 1 : input.shape[i];
    if (reduced[i]) count *= input.shape[i];
    if (!reduced[i] || integer_attribute(call.node, "keepdims", 1) != 0) shape.push_back(kept[i]);
  }
  if (count == 0) call.refuse("an axis without elements cannot be reduced");
  Tensor result = zeros(kept, input.integral);
  std::fill(result.data.begin(), result.data.end(), fold.start);
  std::vector<std::int64_t> strides = strides_of(kept), position(rank, 0);
  for (std::size_t i = 0; i < rank; ++i) {
    if (reduced[i]) strides[i] = 0;
  }
  std::int64_t at = 0;
  for (const double value : input.data) {
    double& accumulator = result.data[static_cast<std::size_t>(at)];
    accumulator = fold.step(accumulator, value);
    for (std::size_t i = rank; i-- > 0;) {
      at += strides[i];
      if (++position[i] < input.shape[i]) break;
      at -= strides[i] * input.shape[i];
      position[i] = 0;
    }
  }
  for (double& value : result.data) {
    value = fold.finish(value, static_cast<double>(count));
    if (input.integral) value = std::trunc(value);
  }
  result.shape = std::move(shape);
  return {std::move(result)};
}

double plus(double sum, double x) { return sum + x; }
double times(double product, double x) { return product * x; }
double plus_square(double sum, double x) { return sum + x * x; }
double plus_size(double sum, double x) { return sum + std::abs(x); }
double plus_exponential(double sum, double x) { return sum + std::exp(x); }
double most(double so_far, double x) { return std::max(so_far, x); }
double least(double so_far, double x) { return std::min(so_far, x); }
double as_is(double value, double) { return value; }
double average(double sum, double count) { return sum / count; }
double root(double sum, double) { return std::sqrt(sum); }
double logarithm(double sum, double) { return std::log(sum); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Fold kSum{0, plus, as_is}, kMean{0, plus, average}, kProduct{1, times, as_is}, kMax{-kInfinity, most, as_is},
    kMin{kInfinity, least, as_is}, kSumSquare{0, plus_square, as_is}, kL1{0, plus_size, as_is},
    kL2{0, plus_square, root}, kLogSum{0, plus, logarithm}, kLogSumExp{0, plus_exponential, logarithm};

template <const Fold& fold>
std::vector<Tensor> reduction(const Call& call) {
  return reduce(call, fold);
}

/// The position of the first (or last) extreme element along one axis.
template <bool largest>
std::vector<Tensor> extreme(const Call& call) {
  const Tensor& input = call.input(0);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis", 0), input.shape.size());
  const bool last = integer_attribute(call.node, "select_last_index", 0) != 0;
  const AxisView view = axis_view(input.shape, axis);
  if (view.extent == 0) call.refuse("an axis without elements has no extreme");
  Shape shape = input.shape;
  if (integer_attribute(call.node, "keepdims", 1) != 0) {
    shape[axis] = 1;
  } else {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  Tensor result = zeros(std::move(shape), true);
  for (std::int64_t outer = 0; outer < view.outer; ++outer) {
    for (std::int64_t inner = 0; inner < view.inner; ++inner) {
      const double* line = input.data.data() + outer * view.extent * view.inner + inner;
      std::int64_t best = 0;
      for (std::int64_t i = 1; i < view.extent; ++i) {
        const double difference = line[i * view.inner] - line[best * view.inner];
        if ((largest ? difference > 0 : difference < 0) || (last && difference == 0)) best = i;
      }
      result.data[static_cast<std::size_t>(outer * view.inner + inner)] = static_cast<double>(best);
    }
  }
  return {std::move(result)};
}

constexpr NamedOperator kOperators[] = {
    {"ReduceSum", reduction<kSum>},
    {"ReduceMean", reduction<kMean>},
    {"ReduceProd", reduction<kProduct>},
    {"ReduceMax", reduction<kMax>},
    {"ReduceMin", reduction<kMin>},
    {"ReduceSumSquare", reduction<kSumSquare>},
    {"ReduceL1", reduction<kL1>},
    {"ReduceL2", reduction<kL2>},
    {"ReduceLogSum", reduction<kLogSum>},
    {"ReduceLogSumExp", reduction<kLogSumExp>},
    {"ArgMax", extreme<true>},
    {"ArgMin", extreme<false>},
};

}  // namespace

std::span<const NamedOperator> reduction_operators() { return kOperators; }

}  // namespace tacit::graph::reference
