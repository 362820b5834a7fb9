#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit::session {

/// The words of one option, read by the form that the option takes. All errors are InputError and begin with the
/// option's name.
class OptionWords {
 public:
  OptionWords(std::string_view name, const std::vector<std::string>& words) : name_(name), words_(words) {}

  const std::vector<std::string>& all() const { return words_; }
  /// Returns the only word. Throws InputError for none and for several.
  const std::string& only() const;
  std::int64_t integer(std::int64_t lowest, std::int64_t highest) const;
  /// Reads a finite number.
  double real(double lowest, double highest) const;
  /// Reads a share as "0.05" or "5%".
  double share() const;
  /// Returns the value of a word.
  template <class Value>
  Value one_of(std::initializer_list<std::pair<std::string_view, Value>> words) const {
    for (const auto& [word, value] : words)
      if (only() == word) return value;
    std::vector<std::string_view> known;
    for (const auto& [word, value] : words) known.push_back(word);
    refuse_word(known);
  }
  /// Reads two numbers, as "a,b" or as two words.
  std::pair<double, double> two_reals() const;
  /// Returns what commas separate in all words.
  std::vector<std::string> list() const;
  /// Splits every word at its first '=' into a name and a value. Throws InputError if either is empty, and for a name
  /// that occurs twice.
  std::vector<std::pair<std::string, std::string>> named() const;
  /// Throws InputError: the option's name, the word and `why`.
  [[noreturn]] void refuse(std::string_view word, std::string_view why) const;

 private:
  [[noreturn]] void refuse_word(const std::vector<std::string_view>& known) const;

  std::string_view name_;
  const std::vector<std::string>& words_;
};

}  // namespace tacit::session
