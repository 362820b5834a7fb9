#include "layout/sharding/notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/error.h"

namespace tacit::layout {
namespace {

constexpr std::size_t kLongestName = 16, kLongestQuote = 200, kMostDigits = 18;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_in_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace

bool is_axis_name(std::string_view word) {
  return !word.empty() && word.size() <= kLongestName && is_letter(word[0]) && std::ranges::all_of(word, is_in_name);
}

void ShardingReader::skip_spaces() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
}

bool ShardingReader::take(std::string_view word) {
  skip_spaces();
  if (text_.substr(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

void ShardingReader::expect(std::string_view word) {
  if (!take(word)) fail(fmt::format("expected '{}'", word));
}

std::string ShardingReader::name() {
  skip_spaces();
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_in_name(text_[at_])) ++at_;
  const std::string_view word = text_.substr(begin, at_ - begin);
  if (!is_axis_name(word)) {
    at_ = begin;
    fail("expected a name of up to 16 letters, digits and '_' that begins with a letter");
  }
  return std::string(word);
}

Index ShardingReader::number() {
  skip_spaces();
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  Index value = 0;
  if (at_ == begin || at_ - begin > kMostDigits) {
    at_ = begin;
    fail("expected a number of at most 18 digits");
  }
  std::from_chars(text_.data() + begin, text_.data() + at_, value);
  return value;
}

void ShardingReader::expect_end() {
  skip_spaces();
  if (at_ != text_.size()) fail("expected the end");
}

void ShardingReader::fail(const std::string& why) const {
  throw base::InputError(
      fmt::format("{} '{}': {} at character {}", what_, text_.substr(0, kLongestQuote), why, at_ + 1));
}

}  // namespace tacit::layout
