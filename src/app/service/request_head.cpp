#include "app/service/request_head.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/parse_number.h"

namespace tacit::app::service {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kBlanks = " \t";

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

/// A character of a token (RFC 9110, 5.6.2).
bool is_of_token(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kMarks.find(c) != kMarks.npos;
}

bool is_named(std::string_view name, std::string_view wanted) {
  return std::ranges::equal(name, wanted, {}, base::lower);
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

RequestFraming refused(int status, const char* sentence) {
  return {.body_bytes = 0, .refusal = Refusal(status, sentence)};
}

}  // namespace

RequestFraming framing_of(std::string_view head) {
  constexpr const char* kNoLine = "the request is not one of HTTP/1.1: its lines end in CR LF";
  std::optional<std::uint64_t> length;
  bool first = true;
  while (head != kLineEnd) {
    const auto end = head.find(kLineEnd);
    if (end == std::string_view::npos) return refused(400, kNoLine);
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + kLineEnd.size());
    if (std::ranges::any_of(line, is_control))
      return refused(400, "the request is not one of HTTP/1.1: a line of its head holds a control character");
    if (std::exchange(first, false)) continue;
    const auto colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    if (colon == std::string_view::npos || name.empty() || !std::ranges::all_of(name, is_of_token))
      return refused(400, "the request is not one of HTTP/1.1: a header is a name, a colon at once, and a value");
    if (is_named(name, "transfer-encoding"))
      return refused(411, "state the length of the body in Content-Length; it may not come in chunks");
    if (!is_named(name, "content-length")) continue;
    if (length) return refused(400, "the request states its length more than once");
    const std::string_view value = trimmed(line.substr(colon + 1));
    const bool digits = std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
    length = digits ? base::parse_number<std::uint64_t>(value) : std::nullopt;
    if (!length) return refused(400, "Content-Length is no number");
  }
  if (first) return refused(400, kNoLine);
  return {.body_bytes = length.value_or(0), .refusal = {}};
}

}  // namespace tacit::app::service
