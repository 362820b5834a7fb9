#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "graph/reference/operator_call.h"
#include "graph/reference/rounding.h"
#include "graph/reference/texts.h"

namespace tacit::graph::reference {
namespace {

constexpr double kExact = 0x1p53;  // up to which every integer is a double

/// Element types by their numbers in the ONNX format.
constexpr std::int64_t kString = 8, kBool = 9;

/// An integer type: its bits, and whether it has a sign.
struct IntegerType {
  int bits = 0;
  bool is_signed = false;
};

IntegerType integer_type(std::int64_t number) {
  switch (number) {
    case 2: return {8, false};
    case 3: return {8, true};
    case 4: return {16, false};
    case 5: return {16, true};
    case 6: return {32, true};
    case 7: return {64, true};
    case 12: return {32, false};
    case 13: return {64, false};
    case 21: return {4, false};
    case 22: return {4, true};
    default: return {};
  }
}

std::optional<Rounding> real_type(std::int64_t number) {
  switch (number) {
    case 1: return Rounding::float32;
    case 10: return Rounding::float16;
    case 11: return Rounding::float64;
    case 16: return Rounding::bfloat16;
    default: return std::nullopt;
  }
}

/// Cut toward zero and brought into the type modulo 2^bits, which is what processors do.
double to_integer(const Call& call, double value, const IntegerType& type) {
  double whole = std::trunc(value);
  const bool fits_wide = type.is_signed || whole >= 0;
  if (!(std::abs(whole) <= kExact) || (type.bits == 64 && !fits_wide))
    call.refuse(fmt::format("{} has no exact value as an integer of {} bits here; integers are exact up to 2^53", value,
                            type.bits));
  if (type.bits == 64) return whole + 0.0;  // no negative zero
  const double modulus = std::ldexp(1.0, type.bits);
  whole = std::fmod(whole, modulus) + 0.0;
  if (whole < 0) whole += modulus;
  return type.is_signed && whole >= modulus / 2 ? whole - modulus : whole;
}

/// The shortest decimal that reads back as the same float or, for double, the same double.
std::string decimal(double value, bool integral, Rounding format) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "INF" : "-INF";
  char buffer[32];
  std::to_chars_result end{};
  if (integral) {
    end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(value));
  } else if (format == Rounding::float64) {
    end = std::to_chars(buffer, buffer + sizeof buffer, value);
  } else {
    end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value));
  }
  return {buffer, end.ptr};
}

bool same_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

/// A decimal number, with an exponent or without, or inf or nan in any case.
double to_number(const Call& call, const std::string& text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  double value = 0;
  if (same_ignoring_case(rest, "inf") || same_ignoring_case(rest, "infinity")) {
    value = kInfinity;
  } else if (same_ignoring_case(rest, "nan")) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    const bool digit_first = !rest.empty() && ((rest[0] >= '0' && rest[0] <= '9') || rest[0] == '.');
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (!digit_first || error != std::errc{} || end != rest.data() + rest.size())
      call.refuse(fmt::format("the text '{}' is no number that a double holds", text.substr(0, 64)));
  }
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
  Tensor result{input.shape, input.data, true, {}};
  Dictionary dictionary(call);
  const Rounding format = call.rounding(0);
  for (double& value : result.data) value = dictionary.position(decimal(value, input.integral, format));
  result.texts = dictionary.take();
  return result;
}

std::vector<Tensor> cast(const Call& call) {
  const std::int64_t to = integer_attribute(call.node, "to", 0);
  if (to == kString) return {to_texts(call)};
  const IntegerType integer = integer_type(to);
  const auto real = real_type(to);
  if (to != kBool && integer.bits == 0 && !real)
    call.refuse(
        fmt::format("a cast to element type {} is not supported; float, double, float16, bfloat16, string, bool "
                    "and integers are",
                    to));
  Tensor result{call.input(0).shape, numbers_of(call), !real, {}};
  for (double& value : result.data) {
    if (to == kBool) value = value != 0 ? 1 : 0;
    if (integer.bits > 0) value = to_integer(call, value, integer);
  }
  if (real) round_to(*real, result);
  return {std::move(result)};
}

constexpr NamedOperator kOperators[] = {{"Cast", cast, kTextsFirst}};

}  // namespace

std::span<const NamedOperator> cast_operators() { return kOperators; }

}  // namespace tacit::graph::reference
