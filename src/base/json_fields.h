#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tacit::base {

/// Returns an integer. Throws InputError for any other value, because converting a number with a point or an exponent
/// could overflow.
template <class Json>
std::int64_t whole_number(const Json& value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.template get<std::uint64_t>() > kMost))
    throw InputError("a whole number below 2^63 was expected, not " + value.dump().substr(0, 32));
  return value.template get<std::int64_t>();
}

/// Reads the fields of an object from outside, each of them once. A missing field or one of another type throws
/// InputError that begins with `what`.
class JsonFields {
 public:
  /// Both arguments must outlive this object.
  JsonFields(const nlohmann::json& object, std::string_view what) : object_(object), what_(what) {}

  bool has(const char* name) const { return object_.contains(name); }
  const nlohmann::json& take(const char* name) {
    const auto found = object_.find(name);
    if (found == object_.end()) refuse("the field \"" + std::string(name) + "\" is missing");
    ++taken_;
    return *found;
  }
  std::uint64_t number(const char* name) {
    const nlohmann::json& value = take(name);
    if (!value.is_number_unsigned()) refuse("\"" + std::string(name) + "\" is no whole number");
    return value.get<std::uint64_t>();
  }
  std::string text(const char* name) {
    const nlohmann::json& value = take(name);
    if (!value.is_string()) refuse("\"" + std::string(name) + "\" is no text");
    return value.get<std::string>();
  }
  const nlohmann::json& list(const char* name) {
    const nlohmann::json& value = take(name);
    if (!value.is_array()) refuse("\"" + std::string(name) + "\" is no list");
    return value;
  }
  void require_no_others() const {
    if (taken_ != object_.size()) refuse("it has fields that are not part of the format");
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw InputError(std::string(what_) + ": " + why); }

  const nlohmann::json& object_;
  std::string_view what_;
  std::size_t taken_ = 0;
};

}  // namespace tacit::base
