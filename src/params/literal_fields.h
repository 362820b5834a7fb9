#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tacit::params {

/// Reads the fields of a parameter literal, which is JSON from outside. Refusals are InputError and begin with `what`.
class LiteralFields {
 public:
  /// All arguments must outlive this object. Refuses a value that is not an object, and fields that are not `known`.
  LiteralFields(const nlohmann::json& json, std::string_view what, std::span<const std::string_view> known)
      : json_(json), what_(what) {
    if (!json.is_object()) refuse("expected an object, not {}", json.type_name());
    for (const auto& [field, value] : json.items())
      if (std::ranges::find(known, field) == known.end())
        refuse("unknown field '{}'; the fields are {}", field, fmt::join(known, ", "));
  }
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    base::refuse("{}: {}", what_, fmt::format(format, std::forward<Args>(args)...));
  }
  bool has(const char* field) const { return json_.contains(field); }
  const nlohmann::json& at(const char* field) const {
    const auto it = json_.find(field);
    if (it == json_.end()) refuse("the field '{}' is missing", field);
    return *it;
  }
  int integer(const char* field) const { return integer(at(field), field); }
  /// Returns an integer that is a part of a field.
  int integer(const nlohmann::json& value, const char* field) const {
    if (!value.is_number_integer()) refuse("'{}' must be an integer, not {}", field, value.type_name());
    constexpr auto kMax = std::numeric_limits<int>::max();
    const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kMax)
                                                 : value.get<std::int64_t>() >= -kMax;
    if (!fits) refuse("'{}' is out of range", field);
    return value.get<int>();
  }
  std::string text(const char* field) const {
    const nlohmann::json& value = at(field);
    if (!value.is_string()) refuse("'{}' must be text, not {}", field, value.type_name());
    return value.get<std::string>();
  }
  /// Returns the flag, or false if it is missing.
  bool flag(const char* field) const {
    if (!has(field)) return false;
    if (!at(field).is_boolean()) refuse("'{}' must be true or false, not {}", field, at(field).type_name());
    return at(field).get<bool>();
  }

 private:
  const nlohmann::json& json_;
  std::string_view what_;
};

}  // namespace tacit::params
