#include "app/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/output.h"

namespace tacit::app {

void warn_if_insecure(const params::ParameterIdentity& parameters) {
  if (parameters.security_bits > 0) return;
  // Not the name: it may come from a file that somebody else wrote.
  print_sentence(fmt::format(
      "warning: the parameters ({}) are INSECURE, for tests only: whoever sees the ciphertexts can read them",
      parameters.size));
}

void warn_of(const std::vector<std::string>& warnings) {
  std::vector<std::pair<std::string, std::size_t>> different;
  for (const std::string& warning : warnings) {
    const auto same = std::ranges::find(different, warning, &std::pair<std::string, std::size_t>::first);
    if (same == different.end())
      different.emplace_back(warning, 1);
    else
      ++same->second;
  }
  for (const auto& [warning, times] : different)
    print_sentence("warning: " + warning + (times > 1 ? fmt::format(" ({} times)", times) : ""));
}

nlohmann::ordered_json without_warnings(nlohmann::ordered_json plan) {
  plan["warnings"] = nlohmann::ordered_json::array();
  return plan;
}

}  // namespace tacit::app
