#pragma once

#include <filesystem>
#include <optional>

#include "base/sha256.h"

namespace tacit::session {

/// Where key generation writes.
struct KeyFiles {
  std::filesystem::path secret, evaluation;
  std::filesystem::path public_key;  ///< empty: none is written
};

/// Of the artefacts that were written.
struct KeyRoots {
  base::Digest evaluation{};
  std::optional<base::Digest> public_key;
};

}  // namespace tacit::session
