#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "graph/integers.h"
#include "graph/reference/operator_call.h"
#include "graph/reference/rounding.h"
#include "graph/reference/texts.h"

namespace tacit::graph::reference {
namespace {

constexpr std::int64_t kString = 8;  ///< the element type's number in the ONNX format

/// An integer wraps around in the type. A real is cut toward zero first, and must then fit the integers that processors
/// convert it to on its way: those of 32 bits for narrow types and int32, those of 64 bits for the others.
double to_integer(const Call& call, double value, bool integral, IntegerType type) {
  if (integral && std::abs(value) == kLostInteger && call.integer_type(0) == type) return value;
  const double whole = std::trunc(value);
  const bool wide = type == IntegerType::int64 || type == IntegerType::uint64 || type == IntegerType::uint32;
  const IntegerRange bound = range_of(integral || wide ? IntegerType::int64 : IntegerType::int32);
  if (!bound.contains(whole))
    call.refuse(fmt::format("{} has no exact value of type {} here: {}", value, name_of(type),
                            bound.highest == kLargestInteger ? "integers are exact up to 2^53"
                                                             : "what becomes of it differs between processors"));
  const double result = wrapped(bits_of(whole), type);
  if (std::abs(result) == kLostInteger)
    call.refuse(
        fmt::format("{} has no exact value of type {} here: integers are exact up to 2^53", value, name_of(type)));
  return result;
}

void refuse_lost(const Call& call) {
  const Tensor& input = call.input(0);
  if (!input.integral || !input.texts.empty()) return;
  for (const double value : input.data)
    if (std::abs(value) == kLostInteger)
      call.refuse("it casts an integer beyond 2^53, up to which they are exact here");
}

/// The shortest decimal that reads back as the same float or, for double, the same double.
std::string decimal(double value, bool integral, FloatFormat format) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "INF" : "-INF";
  char buffer[32];
  const auto written = [&](auto number) {
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
  };
  if (integral) return written(static_cast<std::int64_t>(value));
  return format == FloatFormat::float64 ? written(value) : written(static_cast<float>(value));
}

/// A decimal number, with an exponent or without, or inf or nan in any case.
double to_number(const Call& call, const std::string& text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  // The library takes a sign, and nan(...), as well.
  if (error != std::errc{} || end != rest.data() + rest.size() || rest.starts_with('-') || rest.ends_with(')'))
    call.refuse(fmt::format("the text '{}' is no number that a double holds", text.substr(0, 64)));
  return negative ? -value : value;
}

std::vector<double> numbers_of(const Call& call) {
  const Tensor& input = call.input(0);
  if (input.texts.empty()) return input.data;
  std::vector<double> of_texts(input.texts.size(), 0.0), result;
  std::vector<bool> read(input.texts.size(), false);  // a text that no element is need not be a number
  for (const double element : input.data) {
    const std::string& text = text_at(call, input, element);
    const auto at = static_cast<std::size_t>(element);
    if (!read[at]) of_texts[at] = to_number(call, text);
    read[at] = true;
    result.push_back(of_texts[at]);
  }
  return result;
}

Tensor to_texts(const Call& call) {
  const Tensor& input = call.input(0);
  if (!input.texts.empty()) return input;
  refuse_lost(call);
  Tensor result{input.shape, input.data, true, {}};
  Dictionary dictionary(call);
  const FloatFormat format = call.rounding(0);
  for (double& value : result.data) value = dictionary.position(decimal(value, input.integral, format));
  result.texts = dictionary.take();
  return result;
}

std::vector<Tensor> cast(const Call& call) {
  const std::int64_t to = integer_attribute(call.node, "to");
  if (to == kString) return {to_texts(call)};
  const std::optional<IntegerType> integer = integer_type(to);
  const auto real = real_type(to);
  if (!integer && !real)
    call.refuse(fmt::format(
        "a cast to element type {} is not supported; float, double, float16, bfloat16, string, bool and integers are",
        to));
  const bool integral = call.input(0).integral && call.input(0).texts.empty();
  Tensor result{call.input(0).shape, numbers_of(call), !real, {}};
  for (double& value : result.data) {
    if (integer == IntegerType::boolean) value = value != 0 ? 1 : 0;
    if (integer) value = to_integer(call, value, integral, *integer);
  }
  if (real) {
    refuse_lost(call);
    round_to(*real, result);
  }
  return {std::move(result)};
}

constexpr AttributeDeclaration kCast[] = {required_integer("to", 0, 255)};

constexpr Declaration kCastOperators[] = {
    {"Cast", cast, 1, "x~", Class::cast, kCast, 0, "to a floating-point type; to others by the client",
     "in the table of one encrypted value; others by the client"},
};

}  // namespace

std::span<const Declaration> cast_operators() { return kCastOperators; }

}  // namespace tacit::graph::reference
