#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "graph/integers.h"
#include "graph/reference/broadcast.h"
#include "graph/reference/operator_call.h"
#include "graph/reference/rounding.h"

namespace tacit::graph::reference {
namespace {

template <typename Function>
Tensor combine(const Call& call, const Tensor& a, const Tensor& b, bool integral, Function function) {
  const auto shape = broadcast_shape(a.shape, b.shape);
  if (!shape) call.refuse(fmt::format("shapes {} and {} do not broadcast", to_text(a.shape), to_text(b.shape)));
  Tensor result = call.zeros(*shape, integral);
  if (a.shape == b.shape) {
    for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] = function(a.data[i], b.data[i]);
    return result;
  }
  BroadcastIndex left(a.shape, *shape), right(b.shape, *shape);
  for (double& value : result.data) value = function(a.data[left.next()], b.data[right.next()]);
  return result;
}

/// A sum, difference or product: integers wrap around in their type.
template <template <typename> typename Operation>
Tensor combine_numbers(const Call& call, const Tensor& a, const Tensor& b) {
  if (!a.integral || !b.integral) return combine(call, a, b, false, Operation<double>{});
  const IntegerType type = call.integer_type(0);
  return combine(call, a, b, true, [type](double x, double y) {
    return wrapped(Operation<std::uint64_t>{}(bits_of(x), bits_of(y)), type);
  });
}

template <template <typename> typename Operation>
std::vector<Tensor> binary(const Call& call) {
  return {combine_numbers<Operation>(call, call.input(0), call.input(1))};
}

template <auto function>
std::vector<Tensor> comparison(const Call& call) {
  return {
      combine(call, call.input(0), call.input(1), true, [](double a, double b) { return function(a, b) ? 1.0 : 0.0; })};
}

/// Min, Max: any number of tensors.
template <double (*function)(double, double)>
std::vector<Tensor> variadic(const Call& call) {
  Tensor result = call.input(0);
  for (std::size_t i = 1; i < call.inputs.size(); ++i)
    result = combine(call, result, call.input(i), result.integral && call.input(i).integral, function);
  return {std::move(result)};
}

// A NaN operand stays visible, whichever side it is on.
double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }
double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }
bool both(double a, double b) { return a != 0 && b != 0; }
bool either(double a, double b) { return a != 0 || b != 0; }
bool one_of(double a, double b) { return (a != 0) != (b != 0); }

std::vector<Tensor> divide(const Call& call) {
  const Tensor &a = call.input(0), &b = call.input(1);
  if (!a.integral || !b.integral) return {combine(call, a, b, false, std::divides<>{})};
  if (std::find(b.data.begin(), b.data.end(), 0.0) != b.data.end()) call.refuse("an integer is divided by zero");
  return {combine(call, a, b, true, [](double x, double y) {
    return static_cast<double>(static_cast<std::int64_t>(x) / static_cast<std::int64_t>(y));
  })};
}

/// Integers that outgrow their type are refused by whoever asks: processors do not agree on what they are.
std::vector<Tensor> power(const Call& call) {
  const Tensor &base = call.input(0), &exponent = call.input(1);
  if (base.integral)  // the result has the type of the base
    return {combine(call, base, exponent, true, [](double x, double y) { return std::trunc(std::pow(x, y)); })};
  return {combine(call, base, exponent, false, [](double x, double y) { return std::pow(x, y); })};
}

std::vector<Tensor> modulo(const Call& call) {
  const Tensor &a = call.input(0), &b = call.input(1);
  const bool integral = a.integral && b.integral;
  if (integral && std::find(b.data.begin(), b.data.end(), 0.0) != b.data.end())
    call.refuse("an integer is divided by zero");
  const bool sign_of_dividend = flag_attribute(call.node, "fmod");
  if (sign_of_dividend) return {combine(call, a, b, integral, [](double x, double y) { return std::fmod(x, y); })};
  return {combine(call, a, b, integral, [](double x, double y) {
    const double rest = std::fmod(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
  })};
}

/// Term by term, each sum rounded to the type.
std::vector<Tensor> sum_of_all(const Call& call) {
  Tensor result = call.input(0);
  const FloatFormat format = call.rounding(0);
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    result = combine_numbers<std::plus>(call, result, call.input(i));
    round_to(format, result);
  }
  return {std::move(result)};
}

std::vector<Tensor> mean(const Call& call) {
  std::vector<Tensor> sum = sum_of_all(call);
  for (double& value : sum[0].data) value /= static_cast<double>(call.inputs.size());
  return sum;
}

std::vector<Tensor> where(const Call& call) {
  const Tensor &condition = call.input(0), &yes = call.input(1), &no = call.input(2);
  auto shape = broadcast_shape(yes.shape, no.shape);
  if (shape) shape = broadcast_shape(condition.shape, *shape);
  if (!shape)
    call.refuse(fmt::format("shapes {}, {} and {} do not broadcast", to_text(condition.shape), to_text(yes.shape),
                            to_text(no.shape)));
  Tensor result = call.zeros(*shape, yes.integral && no.integral);
  result.texts = yes.texts;
  BroadcastIndex at(condition.shape, *shape), left(yes.shape, *shape), right(no.shape, *shape);
  for (double& value : result.data) {
    const double if_true = yes.data[left.next()], if_false = no.data[right.next()];
    value = condition.data[at.next()] != 0 ? if_true : if_false;
  }
  return {std::move(result)};
}

constexpr AttributeDeclaration kMod[] = {flag("fmod")};
constexpr std::string_view kSumsOf = "of encrypted values and constants, broadcast";

constexpr Declaration kArithmeticOperators[] = {
    {"Add", binary<std::plus>, 1, "a b", Class::arithmetic, kNoAttributes, 0, kSumsOf},
    {"Sub", binary<std::minus>, 1, "a b", Class::arithmetic, kNoAttributes, 0, kSumsOf},
    {"Mul", binary<std::multiplies>, 1, "a b", Class::arithmetic, kNoAttributes, 0,
     "of two encrypted values, or by a constant; broadcast",
     "a sum; of two encrypted values tables of a + b and a - b"},
    {"Div", divide, 1, "a b", Class::arithmetic, kNoAttributes, 0,
     "by a constant, broadcast; a constant by an encrypted value is a polynomial",
     "a sum, or a part of a table; by an encrypted value a table of its reciprocal, and a product"},
    {"Pow", power, 1, "x exponent", Class::product, kNoAttributes, kRowWise,
     "whole scalar exponents up to 64 as products; others as a polynomial on the calibrated range", "a table"},
    {"Mod", modulo, 10, "a b", Class::client, kMod, kRowWise},
    {"Sum", sum_of_all, 1, "x*", Class::arithmetic, kNoAttributes, 0, kSumsOf},
    {"Mean", mean, 1, "x*", Class::arithmetic, kNoAttributes, 0, kSumsOf},
    {"Min", variadic<smaller>, 1, "x*", Class::extreme},
    {"Max", variadic<larger>, 1, "x*", Class::extreme},
    {"Equal", comparison<std::equal_to<>{}>, 1, "a~ b~", Class::piece},
    {"Less", comparison<std::less<>{}>, 1, "a b", Class::piece},
    {"LessOrEqual", comparison<std::less_equal<>{}>, 12, "a b", Class::piece, kNoAttributes, kByRunning},
    {"Greater", comparison<std::greater<>{}>, 1, "a b", Class::piece},
    {"GreaterOrEqual", comparison<std::greater_equal<>{}>, 12, "a b", Class::piece, kNoAttributes, kByRunning},
    {"And", comparison<both>, 1, "a b", Class::piece},
    {"Or", comparison<either>, 1, "a b", Class::piece},
    {"Xor", comparison<one_of>, 1, "a b", Class::piece},
    {"Where", where, 9, "condition x~ y~", Class::piece},
};

}  // namespace

std::span<const Declaration> arithmetic_operators() { return kArithmeticOperators; }

}  // namespace tacit::graph::reference
