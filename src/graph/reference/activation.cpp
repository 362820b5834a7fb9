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

/// A function of one number and the attribute alpha.
template <double (*function)(double x, double alpha)>
std::vector<Tensor> with_alpha(const Call& call) {
  const double alpha = real_attribute(call.node, "alpha");
  return {map(call.input(0), false, [=](double x) { return function(x, alpha); })};
}

double leaky_relu(double x, double alpha) { return x < 0 ? alpha * x : x; }
double elu(double x, double alpha) { return x < 0 ? alpha * std::expm1(x) : x; }
double celu(double x, double alpha) { return x < 0 ? alpha * std::expm1(x / alpha) : x; }
double thresholded_relu(double x, double alpha) { return x > alpha ? x : 0; }
double swish(double x, double alpha) { return x * sigmoid(alpha * x); }

std::vector<Tensor> selu(const Call& call) {
  const double alpha = real_attribute(call.node, "alpha");
  const double gamma = real_attribute(call.node, "gamma");
  return {map(call.input(0), false, [=](double x) { return gamma * (x < 0 ? alpha * std::expm1(x) : x); })};
}

std::vector<Tensor> hard_sigmoid(const Call& call) {
  const double alpha = real_attribute(call.node, "alpha"), beta = real_attribute(call.node, "beta");
  return {map(call.input(0), false, [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); })};
}

std::vector<Tensor> clip(const Call& call) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double low = call.has(1) ? call.scalar(1) : -kInfinity;
  const double high = call.has(2) ? call.scalar(2) : kInfinity;
  return {map(call.input(0), call.input(0).integral, [=](double x) { return std::min(std::max(x, low), high); })};
}

std::vector<Tensor> gelu_either_way(const Call& call) {
  const bool by_tanh = text_attribute(call.node, "approximate") == "tanh";
  return {map(call.input(0), false, by_tanh ? gelu_by_tanh : gelu)};
}

std::vector<Tensor> shrink(const Call& call) {
  const double bias = real_attribute(call.node, "bias"), edge = real_attribute(call.node, "lambd");
  const bool integral = call.input(0).integral;
  return {map(call.input(0), integral, [=](double x) {
    const double shrunk = x < -edge ? x + bias : x > edge ? x - bias : 0;
    return integral ? std::trunc(shrunk) : shrunk;
  })};
}

std::vector<Tensor> is_infinite(const Call& call) {
  const bool negative = flag_attribute(call.node, "detect_negative");
  const bool positive = flag_attribute(call.node, "detect_positive");
  return {
      map(call.input(0), true, [=](double x) { return std::isinf(x) && (x < 0 ? negative : positive) ? 1.0 : 0.0; })};
}

std::vector<Tensor> parametric_relu(const Call& call) {
  Tensor result = call.input(0);
  const Tensor& slope = call.input(1);
  BroadcastIndex at = broadcast_to(call, "a slope", slope, result.shape);
  for (double& value : result.data) {
    const double factor = slope.data[at.next()];
    if (value < 0) value *= factor;
  }
  return {std::move(result)};
}

constexpr AttributeDeclaration kRound[] = {flag("tacit.quantises")};  // a pass marks what was a QuantizeLinear
constexpr AttributeDeclaration kAlpha[] = {real("alpha", 1)};
constexpr AttributeDeclaration kLeakyRelu[] = {real("alpha", 0.01)};
constexpr AttributeDeclaration kSelu[] = {real("alpha", 1.67326319217681884765625),
                                          real("gamma", 1.05070102214813232421875)};
constexpr AttributeDeclaration kHardSigmoid[] = {real("alpha", 0.2), real("beta", 0.5)};
constexpr AttributeDeclaration kGelu[] = {text("approximate", "none", "none, tanh")};
constexpr AttributeDeclaration kShrink[] = {real("bias", 0), real("lambd", 0.5)};
constexpr AttributeDeclaration kIsInf[] = {flag("detect_negative", true), flag("detect_positive", true)};
constexpr std::string_view kAwayFromZero = "away from 0; a polynomial on the calibrated range";

constexpr Declaration kActivationOperators[] = {
    {"Abs", signed_unary<absolute>, 1, "x", Class::function},
    {"Neg", signed_unary<negate>, 1, "x", Class::arithmetic},
    {"Sign", unary<sign>, 9, "x", Class::step},
    {"Floor", unary<std::floor>, 1, "x", Class::step},
    {"Ceil", unary<std::ceil>, 1, "x", Class::step},
    {"Round", unary<std::nearbyint>, 11, "x", Class::step, kRound},  // halves to even, the default mode
    {"Reciprocal", unary<reciprocal>, 1, "x", Class::function, kNoAttributes, 0, kAwayFromZero},
    {"Sqrt", unary<std::sqrt>, 1, "x", Class::function, kNoAttributes, 0, kAwayFromZero},
    {"Exp", unary<std::exp>, 1, "x", Class::function},
    {"Log", unary<std::log>, 1, "x", Class::function, kNoAttributes, 0,
     "above 0; a polynomial on the calibrated range"},
    {"Erf", unary<std::erf>, 9, "x", Class::function},
    {"Sin", unary<std::sin>, 7, "x", Class::function},
    {"Cos", unary<std::cos>, 7, "x", Class::function},
    {"Tan", unary<std::tan>, 7, "x", Class::function},
    {"Asin", unary<std::asin>, 7, "x", Class::function},
    {"Acos", unary<std::acos>, 7, "x", Class::function},
    {"Atan", unary<std::atan>, 7, "x", Class::function},
    {"Sinh", unary<std::sinh>, 9, "x", Class::function},
    {"Cosh", unary<std::cosh>, 9, "x", Class::function},
    {"Tanh", unary<std::tanh>, 1, "x", Class::function},
    {"Asinh", unary<std::asinh>, 9, "x", Class::function},
    {"Acosh", unary<std::acosh>, 9, "x", Class::function},
    {"Atanh", unary<std::atanh>, 9, "x", Class::function},
    {"Not", predicate<logical_not>, 1, "x", Class::piece},
    {"IsNaN", predicate<is_nan>, 9, "x", Class::client, kNoAttributes, kRowWise},
    {"Relu", unary<relu>, 1, "x", Class::function},
    {"Sigmoid", unary<sigmoid>, 1, "x", Class::function, kNoAttributes, 0,
     "a polynomial on the calibrated range; behind the last layer the client runs it"},
    {"Softplus", unary<softplus>, 1, "x", Class::function},
    {"Softsign", unary<softsign>, 1, "x", Class::function},
    {"HardSwish", unary<hard_swish>, 14, "x", Class::function},
    {"LeakyRelu", with_alpha<leaky_relu>, 1, "x", Class::function, kLeakyRelu},
    {"Elu", with_alpha<elu>, 1, "x", Class::function, kAlpha},
    {"Celu", with_alpha<celu>, 12, "x", Class::function, kAlpha},
    {"Selu", selu, 1, "x", Class::function, kSelu},
    {"HardSigmoid", hard_sigmoid, 1, "x", Class::function, kHardSigmoid},
    {"ThresholdedRelu", with_alpha<thresholded_relu>, 10, "x", Class::function, kAlpha, 0,
     "alpha = 0, a Relu; others by the client"},
    {"Clip", clip, 1, "x low? high?", Class::function, kNoAttributes, 0,
     "constant bounds; a polynomial on the calibrated range"},
    {"Gelu", gelu_either_way, 20, "x", Class::function, kGelu},
    {"Mish", unary<mish>, 18, "x", Class::function},
    {"Swish", with_alpha<swish>, 24, "x", Class::function, kAlpha},
    {"Shrink", shrink, 9, "x", Class::function, kShrink, 0,
     "a bias equal to lambd; a polynomial on the calibrated range"},
    {"IsInf", is_infinite, 10, "x", Class::client, kIsInf, kRowWise},
    {"PRelu", parametric_relu, 1, "x slope", Class::function, kNoAttributes, 0,
     "constant slopes; a polynomial on the calibrated range"},
};

}  // namespace

std::span<const Declaration> activation_operators() { return kActivationOperators; }

}  // namespace tacit::graph::reference
