#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tacit::base {

/// Bounds on JSON from elsewhere. What walks through a parsed object is recursive: nesting is bounded so that it does
/// not run out of stack.
struct JsonBounds {
  std::size_t bytes = std::size_t{16} << 20;
  int depth = 32;
};

/// Parses JSON from elsewhere. Throws InputError, beginning with `what`, for text that is longer or nested deeper than
/// the bounds, that is no JSON, or that names a field of an object twice, of which a reader would see one.
template <class Json = nlohmann::json>
Json json_from(std::string_view text, std::string_view what, const JsonBounds& bounds = {}) {
  const auto refuse = [&](const std::string& why) { throw InputError(std::string(what) + ": " + why); };
  if (text.size() > bounds.bytes)
    refuse(std::to_string(text.size()) + " bytes of JSON are more than the " + std::to_string(bounds.bytes) +
           " that are read");
  std::vector<std::set<std::string, std::less<>>> fields;
  try {
    return Json::parse(text, [&](int depth, typename Json::parse_event_t event, Json& value) {
      using Event = typename Json::parse_event_t;
      if (depth > bounds.depth) refuse("nested deeper than " + std::to_string(bounds.depth));
      if (event == Event::object_start) fields.emplace_back();
      if (event == Event::object_end) fields.pop_back();
      if (event == Event::key && !fields.back().insert(value.template get<std::string>()).second)
        refuse("the field '" + value.template get<std::string>() + "' is there twice");
      return true;
    });
  } catch (const typename Json::exception& error) {
    throw InputError(std::string(what) + ": not JSON (" + error.what() + ")");
  }
}

}  // namespace tacit::base
