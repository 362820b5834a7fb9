#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tacit::base {

/// Bounds on JSON from outside. Code that walks a parsed object is recursive: the bound on nesting keeps it within its
/// stack. A value takes far more memory than its text, so that the number of values has a bound too.
struct JsonBounds {
  std::size_t bytes = std::size_t{16} << 20;
  std::size_t values = std::size_t{1} << 20;
  std::size_t depth = 32;
};

/// Reads JSON without keeping it. It stops at the first broken bound, and at a field that an object names twice,
/// because a reader would see only one of the two.
class JsonScreen : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonScreen(const JsonBounds& bounds) : bounds_(bounds) {}
  /// Returns the objection, or an empty text if there is none.
  const std::string& objection() const { return objection_; }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    constexpr std::size_t kShown = 64;
    if (fields_.back().insert(name).second) return true;
    return object_to("the field '" + name.substr(0, kShown) + "' is there twice");
  }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) override {
    return object_to("not JSON, at byte " + std::to_string(at));
  }

 private:
  bool object_to(std::string what) {
    objection_ = std::move(what);
    return false;
  }
  bool value() {
    return ++values_ <= bounds_.values || object_to("more than " + std::to_string(bounds_.values) + " values");
  }
  bool open() {
    fields_.emplace_back();
    return value() &&
           (fields_.size() <= bounds_.depth || object_to("nested deeper than " + std::to_string(bounds_.depth)));
  }
  bool close() {
    fields_.pop_back();
    return true;
  }

  JsonBounds bounds_;
  std::size_t values_ = 0;
  std::vector<std::set<std::string>> fields_;
  std::string objection_;
};

/// Throws InputError, beginning with `what`, if the text breaks a bound or is not JSON. A text with a zero byte or a
/// byte order mark is not JSON. A field that an object names twice is refused, too.
inline void screen_json(std::string_view text, std::string_view what, const JsonBounds& bounds) {
  const auto refuse = [&](const std::string& why) { throw InputError(std::string(what) + ": " + why); };
  if (text.size() > bounds.bytes)
    refuse(std::to_string(text.size()) + " bytes of JSON are more than the " + std::to_string(bounds.bytes) +
           " that are read");
  // A parser would take a zero for the end, and skip a byte order mark.
  if (text.find('\0') != text.npos || text.starts_with("\xEF\xBB\xBF")) refuse("not JSON");
  JsonScreen screen(bounds);
  if (!nlohmann::json::sax_parse(text, &screen)) refuse(screen.objection());
}

/// Screens JSON from outside, then parses it in time linear in the text.
template <class Json = nlohmann::json>
Json json_from(std::string_view text, std::string_view what, const JsonBounds& bounds = {}) {
  screen_json(text, what, bounds);
  return Json::parse(text);
}

}  // namespace tacit::base
