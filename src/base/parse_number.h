#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace tacit::base {

/// Reads a whole text as one number with std::from_chars. The result is empty if text is left over or the number does
/// not fit.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace tacit::base
