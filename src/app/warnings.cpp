#include "app/warnings.h"

#include <fmt/format.h>

#include <cstdio>

#include "session/sentence.h"

namespace tacit::app {

void warn_if_insecure(const params::ParameterIdentity& parameters) {
  if (parameters.security_bits > 0) return;
  // The name may come from a file that somebody else wrote.
  fmt::print(
      stderr,
      "tacit: warning: the parameter set '{}' is INSECURE, for tests only: whoever sees the ciphertexts can read "
      "them\n",
      session::one_line(parameters.name));
}

void warn_of(const session::Compilation& compilation) {
  for (const std::string& warning : compilation.warnings) fmt::print(stderr, "tacit: warning: {}\n", warning);
}

}  // namespace tacit::app
