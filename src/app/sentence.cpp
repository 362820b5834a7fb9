#include "app/sentence.h"

namespace tacit::app {

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

}  // namespace tacit::app
