#include "session/sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tacit::session {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

/// Bytes of the character at `at` if a terminal would obey it or hide it, or if it is white space; else 0. Of UTF-8:
/// the controls U+0080 to U+009F, and what hides or turns text, U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F
/// and U+FEFF.
std::size_t unprintable(std::string_view text, std::size_t at) {
  const unsigned char first = byte_at(text, at), second = byte_at(text, at + 1), third = byte_at(text, at + 2);
  const auto within = [](unsigned char c, int low, int high) { return c >= low && c <= high; };
  if (first <= ' ' || first == 0x7F) return 1;
  if (first == 0xC2 && within(second, 0x80, 0x9F)) return 2;
  if (first == 0xE2 && second == 0x80 && (within(third, 0x8B, 0x8F) || within(third, 0xA8, 0xAE))) return 3;
  if (first == 0xE2 && second == 0x81 && within(third, 0xA0, 0xAF)) return 3;
  if (first == 0xEF && second == 0xBB && third == 0xBF) return 3;
  return 0;
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

std::string one_line(std::string_view message) {
  constexpr std::size_t kLongest = 1000;
  std::string line;
  bool gap = false;
  for (std::size_t at = 0; at < message.size();) {
    if (const std::size_t bytes = unprintable(message, at); bytes > 0) {
      gap = !line.empty();
      at += bytes;
      continue;
    }
    if (line.size() >= kLongest && begins_character(message[at])) return line + " …";
    if (gap) line += ' ';
    gap = false;
    line += message[at++];
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

std::string printable_lines(std::string_view text) {
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = text[at] == '\n' || text[at] == ' ' ? 0 : unprintable(text, at);
    lines += bytes > 0 ? ' ' : text[at];
    at += std::max<std::size_t>(bytes, 1);
  }
  return lines;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace tacit::session
