#include "app/insecure_parameters.h"

#include <fmt/format.h>

#include <cstdio>

#include "app/sentence.h"

namespace tacit::app {

void warn_if_insecure(const params::CkksParameters& parameters) {
  if (parameters.security_bits() > 0) return;
  // The name may come from a file that somebody else wrote.
  fmt::print(
      stderr,
      "tacit: warning: the parameter set '{}' is INSECURE, for tests only: whoever sees the ciphertexts can read "
      "them\n",
      one_line(parameters.literal().name));
}

}  // namespace tacit::app
