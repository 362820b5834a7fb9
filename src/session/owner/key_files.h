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

/// The file of the key that encrypts inputs.
struct EncryptionKey {
  std::filesystem::path file;
  bool is_public = false;  ///< a public key, which encrypts and does not decrypt; otherwise the secret key
};

/// The roots of the written keys.
struct KeyRoots {
  base::Digest evaluation{};
  std::optional<base::Digest> public_key;
};

}  // namespace tacit::session
