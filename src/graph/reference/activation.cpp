#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "graph/integers.h"
#include "graph/reference/broadcast.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {
namespace {

template <typename Function>
Tensor map(const Tensor& input, bool integral, Function function) {
  Tensor result;
  result.shape = input.shape;
  result.integral = integral;
  result.data.resize(input.data.size());
  std::transform(input.data.begin(), input.data.end(), result.data.begin(), function);
  return result;
}

/// A function of one number; integers stay integers.
template <double (*function)(double)>
std::vector<Tensor> unary(const Call& call) {
  return {map(call.input(0), call.input(0).integral, function)};
}

/// Integers wrap around in their type: the least one is its own opposite.
template <double (*function)(double)>
std::vector<Tensor> signed_unary(const Call& call) {
  if (!call.input(0).integral) return unary<function>(call);
  const IntegerType type = call.integer_type(0);
  return {map(call.input(0), true, [type](double x) { return wrapped(bits_of(function(x)), type); })};
}

double absolute(double x) { return std::abs(x); }
double negate(double x) { return -x; }
double reciprocal(double x) { return 1 / x; }
double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
double logical_not(double x) { return x == 0 ? 1 : 0; }
double is_nan(double x) { return std::isnan(x) ? 1 : 0; }
double relu(double x) { return x < 0 ? 0 : x; }
double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
double softsign(double x) { return x / (1 + std::abs(x)); }
double mish(double x) { return x * std::tanh(softplus(x)); }
double gelu(double x) { return x / 2 * std::erfc(-x / std::numbers::sqrt2); }
double gelu_by_tanh(double x) {
  const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return x * sigmoid(2 * inner);  // (1 + tanh(y)) / 2 without cancellation
}
double hard_swish(double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }

template <double (*function)(double)>
std::vector<Tensor> predicate(const Call& call) {
  return {map(call.input(0), true, function)};
}

std::vector<Tensor> leaky_relu(const Call& call) {
  const double alpha = real_attribute(call.node, "alpha", 0.01);
  return {map(call.input(0), false, [=](double x) { return x < 0 ? alpha * x : x; })};
}

std::vector<Tensor> elu(const Call& call) {
  const double alpha = real_attribute(call.node, "alpha", 1.0);
  return {map(call.input(0), false, [=](double x) { return x < 0 ? alpha * std::expm1(x) : x; })};
}

std::vector<Tensor> celu(const Call& call) {
  const double alpha = real_attribute(call.node, "alpha", 1.0);
  return {map(call.input(0), false, [=](double x) { return x < 0 ? alpha * std::expm1(x / alpha) : x; })};
}

std::vector<Tensor> selu(const Call& call) {
  const double alpha = real_attribute(call.node, "alpha", 1.67326319217681884765625);
  const double gamma = real_attribute(call.node, "gamma", 1.05070102214813232421875);
  return {map(call.input(0), false, [=](double x) { return gamma * (x < 0 ? alpha * std::expm1(x) : x); })};
}

std::vector<Tensor> hard_sigmoid(const Call& call) {
  const double alpha = real_attribute(call.node, "alpha", 0.2), beta = real_attribute(call.node, "beta", 0.5);
  return {map(call.input(0), false, [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); })};
}

std::vector<Tensor> thresholded_relu(const Call& call) {
  const double alpha = real_attribute(call.node, "alpha", 1.0);
  return {map(call.input(0), false, [=](double x) { return x > alpha ? x : 0; })};
}

std::vector<Tensor> clip(const Call& call) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double low = call.has(1) ? call.scalar(1) : -kInfinity;
  const double high = call.has(2) ? call.scalar(2) : kInfinity;
  return {map(call.input(0), call.input(0).integral, [=](double x) { return std::min(std::max(x, low), high); })};
}

std::vector<Tensor> gelu_either_way(const Call& call) {
  const std::string kind = text_attribute(call.node, "approximate", "none");
  if (kind != "none" && kind != "tanh") call.refuse(fmt::format("approximate '{}' is none of none, tanh", kind));
  return {map(call.input(0), false, kind == "tanh" ? gelu_by_tanh : gelu)};
}

std::vector<Tensor> swish(const Call& call) {
  const double alpha = real_attribute(call.node, "alpha", 1.0);
  return {map(call.input(0), false, [=](double x) { return x * sigmoid(alpha * x); })};
}

std::vector<Tensor> shrink(const Call& call) {
  const double bias = real_attribute(call.node, "bias", 0.0), edge = real_attribute(call.node, "lambd", 0.5);
  const bool integral = call.input(0).integral;
  return {map(call.input(0), integral, [=](double x) {
    const double shrunk = x < -edge ? x + bias : x > edge ? x - bias : 0;
    return integral ? std::trunc(shrunk) : shrunk;
  })};
}

std::vector<Tensor> is_infinite(const Call& call) {
  const bool negative = integer_attribute(call.node, "detect_negative", 1) != 0;
  const bool positive = integer_attribute(call.node, "detect_positive", 1) != 0;
  return {
      map(call.input(0), true, [=](double x) { return std::isinf(x) && (x < 0 ? negative : positive) ? 1.0 : 0.0; })};
}

std::vector<Tensor> parametric_relu(const Call& call) {
  const Tensor &input = call.input(0), &slope = call.input(1);
  if (broadcast_shape(input.shape, slope.shape) != input.shape)
    call.refuse(
        fmt::format("a slope of shape {} does not broadcast to {}", to_text(slope.shape), to_text(input.shape)));
  Tensor result = input;
  BroadcastIndex at(slope.shape, input.shape);
  for (double& value : result.data) {
    if (value < 0) value *= slope.data[static_cast<std::size_t>(at.offset())];
    at.next();
  }
  return {std::move(result)};
}

constexpr NamedOperator kOperators[] = {
    {"Abs", signed_unary<absolute>},
    {"Neg", signed_unary<negate>},
    {"Sign", unary<sign>},
    {"Floor", unary<std::floor>},
    {"Ceil", unary<std::ceil>},
    {"Round", unary<std::nearbyint>},
    {"Reciprocal", unary<reciprocal>},
    {"Sqrt", unary<std::sqrt>},
    {"Exp", unary<std::exp>},
    {"Log", unary<std::log>},
    {"Erf", unary<std::erf>},
    {"Sin", unary<std::sin>},
    {"Cos", unary<std::cos>},
    {"Tan", unary<std::tan>},
    {"Asin", unary<std::asin>},
    {"Acos", unary<std::acos>},
    {"Atan", unary<std::atan>},
    {"Sinh", unary<std::sinh>},
    {"Cosh", unary<std::cosh>},
    {"Tanh", unary<std::tanh>},
    {"Asinh", unary<std::asinh>},
    {"Acosh", unary<std::acosh>},
    {"Atanh", unary<std::atanh>},
    {"Not", predicate<logical_not>},
    {"IsNaN", predicate<is_nan>},
    {"Relu", unary<relu>},
    {"Sigmoid", unary<sigmoid>},
    {"Softplus", unary<softplus>},
    {"Softsign", unary<softsign>},
    {"HardSwish", unary<hard_swish>},
    {"LeakyRelu", leaky_relu},
    {"Elu", elu},
    {"Celu", celu},
    {"Selu", selu},
    {"HardSigmoid", hard_sigmoid},
    {"ThresholdedRelu", thresholded_relu},
    {"Clip", clip},
    {"Gelu", gelu_either_way},
    {"Mish", unary<mish>},
    {"Swish", swish},
    {"Shrink", shrink},
    {"IsInf", is_infinite},
    {"PRelu", parametric_relu},
};

}  // namespace

std::span<const NamedOperator> activation_operators() { return kOperators; }

}  // namespace tacit::graph::reference
