#include "layout/text_cursor.h"

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
bool is_in_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace

bool TextCursor::is_name(std::string_view word) {
  return !word.empty() && word.size() <= kLongestName && is_letter(word[0]) && std::ranges::all_of(word, is_in_word);
}

template <class Is>
std::string_view TextCursor::run_of(const Is& is) {
  const std::size_t begin = at_;
  while (at_ < text_.size() && is(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

void TextCursor::skip_spaces() {
  if (skips_spaces_) run_of([](char c) { return c == ' '; });
}

bool TextCursor::take(std::string_view word) {
  skip_spaces();
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

void TextCursor::expect(std::string_view word) {
  if (!take(word)) fail(fmt::format("expected '{}'", word));
}

std::string TextCursor::word() {
  skip_spaces();
  return std::string(run_of(is_in_word));
}

std::string TextCursor::name() {
  std::string result = word();
  if (!is_name(result)) {
    at_ -= result.size();
    fail("expected a name of up to 16 letters, digits and '_' that begins with a letter");
  }
  return result;
}

bool TextCursor::at_number() {
  skip_spaces();
  return at_ < text_.size() && is_digit(text_[at_]);
}

Index TextCursor::number() {
  skip_spaces();
  const std::string_view digits = run_of(is_digit);
  if (digits.empty() || digits.size() > kMostDigits) {
    at_ -= digits.size();
    fail("expected a number of at most 18 digits");
  }
  Index value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

bool TextCursor::at_end() {
  skip_spaces();
  return at_ == text_.size();
}

void TextCursor::expect_end() {
  if (!at_end()) fail("expected the end");
}

void TextCursor::fail(const std::string& why) const {
  base::refuse("{} '{}': {} at character {}", what_, text_.substr(0, kLongestQuote), why, at_ + 1);
}

}  // namespace tacit::layout
