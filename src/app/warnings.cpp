#include "app/warnings.h"

#include <fmt/format.h>

#include <cstdio>

#include "runtime/artefact.h"
#include "session/sentence.h"

namespace tacit::app {

void warn_if_insecure(const params::ParameterIdentity& parameters) {
  if (parameters.security_bits > 0) return;
  // Not the name: it may come from a file that somebody else wrote.
  fmt::print(
      stderr,
      "tacit: warning: the parameters ({}) are INSECURE, for tests only: whoever sees the ciphertexts can read them\n",
      parameters.size);
}

void warn_if_readable_by_others(const std::filesystem::path& secret_key) {
  if (runtime::artefact_kind(secret_key) != runtime::ArtefactKind::secret_key) return;
  using std::filesystem::perms;
  std::error_code error;
  const perms mode = std::filesystem::status(secret_key, error).permissions();
  constexpr perms kOthers = perms::group_read | perms::group_write | perms::others_read | perms::others_write;
  if (error || (mode & kOthers) == perms::none) return;
  fmt::print(stderr, "tacit: warning: the secret key {0} can be read by others; run chmod 600 {0}\n",
             secret_key.string());
}

void warn_of(const session::Compilation& compilation) {
  for (const std::string& warning : compilation.warnings) fmt::print(stderr, "tacit: warning: {}\n", warning);
}

}  // namespace tacit::app
