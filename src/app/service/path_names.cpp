#include "app/service/path_names.h"

#include <algorithm>
#include <string_view>

namespace tacit::app::service {
namespace {

/// Whether a character may go on with a path in a sentence.
bool goes_on(char c) {
  constexpr std::string_view kEnds = " \t\r\n'\"`,;:()[]{}<>";
  return kEnds.find(c) == std::string_view::npos;
}

/// The end of the path that begins with `path` at `at`; `at` where it is another word.
std::size_t end_of(const std::string& sentence, std::size_t at, const std::string& path) {
  std::size_t end = at + path.size();
  if (at > 0 && goes_on(sentence[at - 1])) return at;
  const bool below = end < sentence.size() && sentence[end] == '/';
  const bool ends = end == sentence.size() || !goes_on(sentence[end]) || sentence[end] == '.';
  // A relative path of one part may be a word of the sentence.
  if (!below && (!ends || path.find('/') == std::string::npos)) return at;
  while (below && end < sentence.size() && goes_on(sentence[end])) ++end;
  while (below && sentence[end - 1] == '.') --end;
  return end;
}

}  // namespace

PathNames::PathNames(std::initializer_list<std::pair<std::filesystem::path, std::string>> names) {
  for (const auto& [path, name] : names) add(path, name);
}

void PathNames::add(const std::filesystem::path& path, std::string name) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  for (std::string each : {path.string(), absolute.string(), absolute.lexically_normal().string(),
                           std::filesystem::weakly_canonical(path, error).string()}) {
    while (each.size() > 1 && each.back() == '/') each.pop_back();
    if (!each.empty() && each != "/") names_.emplace_back(std::move(each), name);
  }
  std::ranges::stable_sort(names_, std::greater(), [](const auto& entry) { return entry.first.size(); });
}

std::string PathNames::named(const std::string& sentence) const {
  std::string told;
  for (std::size_t at = 0; at < sentence.size();) {
    // Longer paths come first. A name that holds a path is not read again.
    std::size_t end = at;
    const auto found = std::ranges::find_if(names_, [&](const auto& entry) {
      if (sentence.compare(at, entry.first.size(), entry.first) == 0) end = end_of(sentence, at, entry.first);
      return end > at;
    });
    if (found == names_.end()) {
      told += sentence[at++];
    } else {
      told += found->second;
      at = end;
    }
  }
  return told;
}

}  // namespace tacit::app::service
