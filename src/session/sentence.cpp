#include "session/sentence.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tacit::session {

std::string one_line(std::string_view message) {
  constexpr std::size_t kLongest = 1000;
  std::string line;
  bool gap = false;
  for (const char c : message) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7F') {
      gap = !line.empty();
      continue;
    }
    if (line.size() >= kLongest) return line + " …";
    if (gap) line += ' ';
    gap = false;
    line += c;
  }
  return line;
}

std::string printable(std::string_view name) {
  using Json = nlohmann::json;
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD, which the library writes
  std::string line = Json::parse(Json(name).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
  for (std::size_t at = 0; (at = line.find(kReplacement, at)) != std::string::npos;) line.replace(at, 3, 1, '?');
  return one_line(line);
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace tacit::session
