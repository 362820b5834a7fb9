#include "session/owner/options/option_words.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "base/parse_number.h"
#include "session/sentence.h"

namespace tacit::session {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    parts.emplace_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

}  // namespace

void OptionWords::refuse(std::string_view word, std::string_view why) const {
  base::refuse("--{} {}: {}", name_, printable(std::string(word.substr(0, 200))), why);
}

void OptionWords::refuse_word(const std::vector<std::string_view>& known) const {
  refuse(only(), fmt::format("give one of {}", fmt::join(known, ", ")));
}

const std::string& OptionWords::only() const {
  if (words_.size() != 1) base::refuse("--{} takes one word, and {} are given", name_, words_.size());
  return words_.front();
}

std::int64_t OptionWords::integer(std::int64_t lowest, std::int64_t highest) const {
  const auto number = base::parse_number<std::int64_t>(only());
  if (!number || *number < lowest || *number > highest)
    refuse(only(), fmt::format("give an integer from {} to {}", lowest, highest));
  return *number;
}

double OptionWords::real(double lowest, double highest) const {
  const auto number = base::parse_number<double>(only());
  if (!number || !(*number >= lowest && *number <= highest))
    refuse(only(), fmt::format("give a number from {:g} to {:g}", lowest, highest));
  return *number;
}

double OptionWords::share() const {
  const std::string& text = only();
  const bool percent = text.ends_with('%');
  const auto number = base::parse_number<double>(percent ? text.substr(0, text.size() - 1) : text);
  const double share = number ? *number / (percent ? 100 : 1) : -1;
  if (!(share >= 0 && share <= 1)) refuse(text, "give a share from 0 to 1, as in 0.05 or 5%");
  return share;
}

std::pair<double, double> OptionWords::two_reals() const {
  std::vector<double> numbers;
  for (const std::string& part : list())
    if (const auto number = base::parse_number<double>(part)) numbers.push_back(*number);
  if (numbers.size() != 2 || list().size() != 2)
    refuse(fmt::format("{}", fmt::join(words_, ",")), "give two numbers, as in 0,1");
  return {numbers[0], numbers[1]};
}

std::vector<std::string> OptionWords::list() const {
  std::vector<std::string> parts;
  for (const std::string& word : words_)
    for (std::string& part : split(word)) parts.push_back(std::move(part));
  return parts;
}

std::vector<std::pair<std::string, std::string>> OptionWords::named() const {
  std::vector<std::pair<std::string, std::string>> result;
  std::set<std::string> names;
  for (const std::string& word : words_) {
    const std::size_t at = word.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == word.size())
      refuse(word, "NAME=VALUE is expected, with the name of an input of the model");
    result.emplace_back(word.substr(0, at), word.substr(at + 1));
    if (!names.insert(result.back().first).second)
      base::refuse("--{} names the input '{}' twice", name_, printable(result.back().first));
  }
  return result;
}

}  // namespace tacit::session
