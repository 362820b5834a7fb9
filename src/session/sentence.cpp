#include "session/sentence.h"

#include <fmt/format.h>

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

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace tacit::session
