#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "graph/integers.h"
#include "graph/reference/operator_call.h"
#include "graph/reference/rounding.h"
#include "graph/reference/run.h"
#include "graph/window.h"

namespace tacit::graph::reference {
namespace {

/// Which number of a list belongs to an element of a tensor: one for all, or one for every index of an axis.
class Along {
 public:
  Along(const Call& call, const Tensor& numbers, const Shape& shape, std::int64_t axis, const char* what)
      : numbers_(numbers) {
    if (numbers.size() == 1) return;
    if (numbers.shape.size() != 1)
      call.refuse(fmt::format("its {} of shape {} is neither one number nor one for every index of an axis", what,
                              to_text(numbers.shape)));
    const std::size_t at = normal_axis(call.node, axis, shape.size());
    if (numbers.size() != shape[at])
      call.refuse(fmt::format("its {} holds {} numbers, which do not fit axis {} of shape {}", what, numbers.size(), at,
                              to_text(shape)));
    view_ = axis_view(shape, at);
  }
  double operator[](std::size_t element) const {
    const auto at = static_cast<std::int64_t>(element) / view_.inner % view_.extent;
    return numbers_.data[static_cast<std::size_t>(at)];
  }

 private:
  const Tensor& numbers_;
  AxisView view_;
};

/// Tensor `x` less its zero point, as real numbers; times its scale where there is one.
Tensor dequantised(const Call& call, std::size_t x, std::optional<std::size_t> scale, std::size_t zero,
                   std::int64_t axis) {
  const Tensor& input = call.input(x);
  Tensor result{input.shape, input.data, false, {}};
  if (call.has(zero)) {
    const Along zeros(call, call.input(zero), input.shape, axis, "zero point");
    for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] -= zeros[i];
  }
  if (scale) {
    const Along scales(call, call.input(*scale), input.shape, axis, "scale");
    for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] *= scales[i];
  }
  return result;
}

/// Quotients by the scale, rounded to nearest and ties to even, plus the zero point, as far as its type holds them.
Tensor quantised(const Call& call, Tensor x, FloatFormat format, std::size_t scale, std::size_t zero,
                 std::int64_t axis) {
  const IntegerRange bounds = range_of(call.has(zero) ? call.integer_type(zero) : IntegerType::uint8);
  const Along scales(call, call.input(scale), x.shape, axis, "scale");
  const Tensor none{{}, {0}, true, {}};
  const Along zeros(call, call.has(zero) ? call.input(zero) : none, x.shape, axis, "zero point");
  for (std::size_t i = 0; i < x.data.size(); ++i) {
    const double whole = std::nearbyint(round_to(format, x.data[i] / scales[i])) + zeros[i];
    if (std::isnan(whole)) call.refuse("it quantises a number that is none, or divides by a scale of 0");
    x.data[i] = std::clamp(whole, bounds.lowest, bounds.highest);
  }
  x.integral = true;
  return x;
}

std::int64_t axis_of(const Call& call) { return integer_attribute(call.node, "axis"); }

std::vector<Tensor> quantise(const Call& call) {
  const Tensor& x = call.input(0);
  return {quantised(call, {x.shape, x.data, false, {}}, call.rounding(1), 1, 2, axis_of(call))};
}

std::vector<Tensor> dequantise(const Call& call) { return {dequantised(call, 0, 1, 2, axis_of(call))}; }

/// Another operator with this one's attributes.
Tensor computed(const Call& call, const char* op, const Tensor& left, const Tensor& right,
                const Tensor* bias = nullptr) {
  const Node node{op, call.node.name, {}, {0}, call.node.attributes};
  const Tensor* const operands[] = {&left, &right, bias};
  const std::size_t given = bias == nullptr ? 2 : 3;
  return std::move(evaluate(call.graph, node, std::span(operands).first(given), call.most_elements).front());
}

/// Zero points of the left matrix are by row, of the right one by column.
constexpr std::int64_t kRows = -2, kColumns = -1, kOutChannels = 0, kChannels = 1;

/// Products of integers less their zero points.
std::vector<Tensor> integer_product(const Call& call) {
  const std::int64_t rows = call.input(0).shape.size() > 1 ? kRows : kColumns;
  Tensor result = computed(call, "MatMul", dequantised(call, 0, {}, 2, rows), dequantised(call, 1, {}, 3, kColumns));
  result.integral = true;
  return {std::move(result)};
}

std::vector<Tensor> integer_convolution(const Call& call) {
  Tensor result =
      computed(call, "Conv", dequantised(call, 0, {}, 2, kChannels), dequantised(call, 1, {}, 3, kOutChannels));
  result.integral = true;
  return {std::move(result)};
}

/// Operands 0 to 5 are two tensors with scale and zero point; 6 and 7 are scale and zero point of the result.
std::vector<Tensor> quantised_product(const Call& call) {
  const std::int64_t rows = call.input(0).shape.size() > 1 ? kRows : kColumns;
  Tensor product = computed(call, "MatMul", dequantised(call, 0, 1, 2, rows), dequantised(call, 3, 4, 5, kColumns));
  const std::int64_t rows_of_result = product.shape.size() > 1 ? kRows : kColumns;
  return {quantised(call, std::move(product), call.rounding(6), 6, 7, rows_of_result)};
}

/// An integer of the bias is worth the product of both scales.
std::vector<Tensor> quantised_convolution(const Call& call) {
  Tensor bias;
  if (call.has(8)) {
    bias = call.input(8);
    bias.integral = false;
    const Along scales(call, call.input(4), bias.shape, 0, "scale");
    for (std::size_t i = 0; i < bias.data.size(); ++i) bias.data[i] *= call.scalar(1) * scales[i];
  }
  Tensor result = computed(call, "Conv", dequantised(call, 0, 1, 2, kChannels),
                           dequantised(call, 3, 4, 5, kOutChannels), call.has(8) ? &bias : nullptr);
  return {quantised(call, std::move(result), call.rounding(6), 6, 7, kChannels)};
}

constexpr AttributeDeclaration kChannelAxis[] = {integer("axis", 1)};
constexpr std::string_view kConstant = "constant weights and zero points";
constexpr std::string_view kInteger =
    "constant weights, scales and zero points; the product is the server's, its rounding as QuantizeLinear";
constexpr std::string_view kSumCost = "a sum", kSumAndTableCost = "a sum, and a part of the next table";

constexpr Declaration kQuantisationOperators[] = {
    {"ConvInteger", integer_convolution, 10, "x w x_zero_point? w_zero_point?", Class::written_out, kConvolution,
     kRowWise, kConstant, kSumCost},
    {"DequantizeLinear", dequantise, 10, "x scale zero_point?", Class::written_out, kChannelAxis, kRowWise,
     "constant scale, one or for each channel; joins its neighbours", "a part of the next sum or table"},
    {"MatMulInteger", integer_product, 10, "a b a_zero_point? b_zero_point?", Class::written_out, kNoAttributes, 0,
     kConstant, kSumCost},
    {"QLinearConv", quantised_convolution, 10,
     "x x_scale x_zero_point w w_scale w_zero_point y_scale y_zero_point bias?", Class::written_out, kConvolution,
     kRowWise, kInteger, kSumAndTableCost},
    {"QLinearMatMul", quantised_product, 10, "a a_scale a_zero_point b b_scale b_zero_point y_scale y_zero_point",
     Class::written_out, kNoAttributes, 0, kInteger, kSumAndTableCost},
    {"QuantizeLinear", quantise, 10, "x scale zero_point?", Class::written_out, kChannelAxis, kRowWise,
     "the client runs it: on the inputs, or behind the last layer; between layers with --scheme tfhe",
     "a table, or a part of one"},
};

}  // namespace

std::span<const Declaration> quantisation_operators() { return kQuantisationOperators; }

}  // namespace tacit::graph::reference
