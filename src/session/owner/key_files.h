#pragma once

#include <filesystem>
#include <optional>

#include "base/sha256.h"

namespace tacit::session {

/// The files that key generation writes.
struct KeyFiles {
  std::filesystem::path secret, evaluation;
  std::filesystem::path public_key;  ///< empty: no public key is written
};

/// The roots of the written keys.
struct KeyRoots {
  base::Digest evaluation{};
  std::optional<base::Digest> public_key;
};

}  // namespace tacit::session
