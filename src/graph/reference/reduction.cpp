#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "graph/integers.h"
#include "graph/reference/broadcast.h"
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

/// Which axes go, and where in the result each element of the input counts.
class Reduction {
 public:
  explicit Reduction(const Call& call) : call_(call), input_(call.input(0)), kept_(input_.shape) {
    const std::size_t rank = input_.shape.size();
    std::vector<bool> reduced(rank, false);
    const std::vector<std::int64_t> axes = stated_axes(call);
    for (const std::int64_t axis : axes) reduced[normal_axis(call.node, axis, rank)] = true;
    if (axes.empty() && !flag_attribute(call.node, "noop_with_empty_axes")) reduced.assign(rank, true);
    for (std::size_t i = 0; i < rank; ++i) {
      if (reduced[i]) {
        count_ *= kept_[i];
        kept_[i] = 1;
      }
      if (!reduced[i] || flag_attribute(call.node, "keepdims")) shape_.push_back(kept_[i]);
    }
  }

  /// Elements of the input for each of the result.
  double count() const { return static_cast<double>(count_); }
  const Shape& shape() const { return shape_; }
  Tensor start(double value) const {
    Tensor result = call_.zeros(kept_, input_.integral);
    std::fill(result.data.begin(), result.data.end(), value);
    return result;
  }
  /// Calls visit(element, offset in the result) for every element of the input.
  template <typename Visit>
  void for_each(Visit visit) const {
    BroadcastIndex at(kept_, input_.shape);
    for (const double value : input_.data) visit(value, at.next());
  }

 private:
  const Call& call_;
  const Tensor& input_;
  Shape kept_, shape_;
  std::int64_t count_ = 1;
};

/// What a fold of integers is in their type. One that outgrows it is refused by whoever asks: some runtimes let it wrap
/// around, and others stop at the largest integer.
double whole_result(const Call& call, const Fold& fold, double folded, double count) {
  if (std::isinf(folded)) {  // no element
    const IntegerRange range = range_of(call.integer_type(0));
    const double extreme = folded > 0 ? range.highest : range.lowest;
    return std::abs(extreme) < kLargestInteger ? extreme : std::copysign(kLostInteger, extreme);
  }
  const double value = fold.finish(folded, count);
  if (std::isnan(value)) call.refuse("the mean of no integers is not defined");
  return std::trunc(value);
}

/// Without elements to reduce, the result is what the fold starts from; an extreme of integers is that of their type.
std::vector<Tensor> reduce(const Call& call, const Fold& fold) {
  const Reduction reduction(call);
  Tensor result = reduction.start(fold.start);
  reduction.for_each([&](double value, std::size_t at) {
    double& so_far = result.data[at];
    so_far = fold.step(so_far, value);
    if (result.integral && std::abs(so_far) > kLargestInteger)
      call.refuse("what its integers add up to is beyond 2^53");
  });
  for (double& value : result.data)
    value =
        result.integral ? whole_result(call, fold, value, reduction.count()) : fold.finish(value, reduction.count());
  result.shape = reduction.shape();
  return {std::move(result)};
}

/// The largest element is taken out first, so that no exponential overflows.
std::vector<Tensor> log_sum_exp(const Call& call) {
  if (call.input(0).integral) call.refuse("it takes floating-point numbers; cast its integers first");
  const Reduction reduction(call);
  Tensor most = reduction.start(-std::numeric_limits<double>::infinity()), result = reduction.start(0);
  result.integral = false;
  reduction.for_each([&](double value, std::size_t at) { most.data[at] = std::max(most.data[at], value); });
  for (double& value : most.data) value = std::isfinite(value) ? value : 0;
  reduction.for_each([&](double value, std::size_t at) { result.data[at] += std::exp(value - most.data[at]); });
  for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] = std::log(result.data[i]) + most.data[i];
  result.shape = reduction.shape();
  return {std::move(result)};
}

double plus(double sum, double x) { return sum + x; }
double times(double product, double x) { return product * x; }
double plus_square(double sum, double x) { return sum + x * x; }
double plus_size(double sum, double x) { return sum + std::abs(x); }
double most(double so_far, double x) { return std::max(so_far, x); }
double least(double so_far, double x) { return std::min(so_far, x); }
double as_is(double value, double) { return value; }
double average(double sum, double count) { return sum / count; }
double root(double sum, double) { return std::sqrt(sum); }
double logarithm(double sum, double) { return std::log(sum); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Fold kSum{0, plus, as_is}, kMean{0, plus, average}, kProduct{1, times, as_is}, kMax{-kInfinity, most, as_is},
    kMin{kInfinity, least, as_is}, kSumSquare{0, plus_square, as_is}, kL1{0, plus_size, as_is},
    kL2{0, plus_square, root}, kLogSum{0, plus, logarithm};

template <const Fold& fold>
std::vector<Tensor> reduction(const Call& call) {
  return reduce(call, fold);
}

/// Sums of the elements up to each, or before each (exclusive), from the front or from the end (reverse).
std::vector<Tensor> cumulative_sum(const Call& call) {
  Tensor result = call.input(0);
  const double stated = call.scalar(1);
  if (!(std::abs(stated) <= 0x1p31)) call.refuse(fmt::format("axis {} is no axis", stated));
  const std::size_t axis = normal_axis(call.node, static_cast<std::int64_t>(stated), result.shape.size());
  const bool exclusive = flag_attribute(call.node, "exclusive");
  const bool reverse = flag_attribute(call.node, "reverse");
  const AxisView view = axis_view(result.shape, axis);
  for (std::int64_t outer = 0; outer < view.outer; ++outer) {
    for (std::int64_t inner = 0; inner < view.inner; ++inner) {
      double* line = result.data.data() + outer * view.extent * view.inner + inner;
      double sum = 0;
      for (std::int64_t i = 0; i < view.extent; ++i) {
        double& element = line[(reverse ? view.extent - 1 - i : i) * view.inner];
        const double before = sum;
        sum = result.integral ? wrapped(bits_of(sum) + bits_of(element), call.integer_type(0)) : sum + element;
        if (std::abs(sum) == kLostInteger && result.integral) call.refuse("a sum of its integers is beyond 2^53");
        element = exclusive ? before : sum;
      }
    }
  }
  return {std::move(result)};
}

/// The position of the first (or last) extreme element along one axis.
template <bool largest>
std::vector<Tensor> extreme(const Call& call) {
  const Tensor& input = call.input(0);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis"), input.shape.size());
  const bool last = flag_attribute(call.node, "select_last_index");
  const AxisView view = axis_view(input.shape, axis);
  if (view.extent == 0) call.refuse("an axis without elements has no extreme");
  Shape shape = input.shape;
  if (flag_attribute(call.node, "keepdims")) {
    shape[axis] = 1;
  } else {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  Tensor result = call.zeros(std::move(shape), true);
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

/// The k largest or smallest elements along an axis, best first, whether the node asks for order or not. Of equal
/// elements the one with the lower index comes first; NaN comes last.
std::vector<Tensor> top_k(const Call& call) {
  const Tensor& input = call.input(0);
  const std::size_t axis = normal_axis(call.node, integer_attribute(call.node, "axis"), input.shape.size());
  const bool largest = flag_attribute(call.node, "largest");
  const AxisView view = axis_view(input.shape, axis);
  const double wanted = call.scalar(1);
  if (!(wanted >= 0 && wanted <= static_cast<double>(view.extent)))
    call.refuse(fmt::format("K is {}, outside [0, {}], the extent of its axis", wanted, view.extent));
  const auto k = static_cast<std::int64_t>(wanted);
  Shape shape = input.shape;
  shape[axis] = k;
  Tensor values = call.zeros(shape, input.integral), indices = call.zeros(shape, true);
  if (values.data.empty()) return {std::move(values), std::move(indices)};
  std::vector<std::int64_t> order(static_cast<std::size_t>(view.extent));
  for (std::int64_t outer = 0; outer < view.outer; ++outer) {
    for (std::int64_t inner = 0; inner < view.inner; ++inner) {
      const double* line = input.data.data() + outer * view.extent * view.inner + inner;
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](std::int64_t left, std::int64_t right) {
        const double a = line[left * view.inner], b = line[right * view.inner];
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b) ? left < right : std::isnan(b);
        if (a == b) return left < right;
        return largest ? a > b : a < b;
      });
      for (std::int64_t i = 0; i < k; ++i) {
        const auto at = static_cast<std::size_t>((outer * k + i) * view.inner + inner);
        indices.data[at] = static_cast<double>(order[static_cast<std::size_t>(i)]);
        values.data[at] = line[order[static_cast<std::size_t>(i)] * view.inner];
      }
    }
  }
  return {std::move(values), std::move(indices)};
}

constexpr AttributeDeclaration kSums[] = {flag("keepdims", true), flag("noop_with_empty_axes")};
constexpr AttributeDeclaration kReductions[] = {integers("axes"), kSums[0], kSums[1]};
constexpr AttributeDeclaration kCumSum[] = {flag("exclusive"), flag("reverse")};
constexpr AttributeDeclaration kExtremes[] = {integer("axis", 0), kSums[0], flag("select_last_index")};
constexpr AttributeDeclaration kTopK[] = {integer("axis", -1), flag("largest", true), flag("sorted", true)};

constexpr std::string_view kFewPairs = "of at most 16 elements: Softplus of differences, in pairs";

constexpr Declaration kReductionOperators[] = {
    {"ReduceSum", reduction<kSum>, 1, "x axes?", Class::linear, kSums, kRowWise, "affine; joins its neighbours"},
    {"ReduceMean", reduction<kMean>, 1, "x", Class::linear, kReductions, kRowWise, "affine; joins its neighbours"},
    {"ReduceProd", reduction<kProduct>, 1, "x", Class::product, kReductions, kRowWise,
     "products, pairwise; at most 64 factors"},
    {"ReduceMax", reduction<kMax>, 1, "x", Class::maxima, kReductions, kRowWise},
    {"ReduceMin", reduction<kMin>, 1, "x", Class::maxima, kReductions, kRowWise},
    {"ReduceSumSquare", reduction<kSumSquare>, 1, "x", Class::product, kReductions, kRowWise, "a square and a sum",
     "a table and a sum"},
    {"ReduceL1", reduction<kL1>, 1, "x", Class::written_out, kReductions, kRowWise, "magnitudes and their sum",
     "a table and a sum"},
    {"ReduceL2", reduction<kL2>, 1, "x", Class::written_out, kReductions, kRowWise, "squares, their sum and a root",
     "a table, a sum and a table"},
    {"ReduceLogSum", reduction<kLogSum>, 1, "x", Class::written_out, kReductions, kRowWise, "a sum and a logarithm",
     "a sum and a table"},
    {"ReduceLogSumExp", log_sum_exp, 1, "x", Class::written_out, kReductions, kRowWise, kFewPairs, kFewPairs},
    {"CumSum", cumulative_sum, 11, "x axis", Class::written_out, kCumSum, 0, "affine; joins its neighbours"},
    {"ArgMax", extreme<true>, 1, "x", Class::client, kExtremes, kRowWise},
    {"ArgMin", extreme<false>, 1, "x", Class::client, kExtremes, kRowWise},
    {"TopK", top_k, 1, "x k -> values indices", Class::client, kTopK, kAlongAxis},
};

}  // namespace

std::span<const Declaration> reduction_operators() { return kReductionOperators; }

}  // namespace tacit::graph::reference
