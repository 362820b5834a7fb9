#include "app/warnings.h"

#include <fmt/format.h>

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
  for (const std::string& warning : warnings) print_sentence("warning: " + warning);
}

}  // namespace tacit::app
