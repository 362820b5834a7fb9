#pragma once

#include <optional>

#include "base/sha256.h"
#include "runtime/sink.h"
#include "runtime/source.h"

namespace tacit::session {

/// The places that key generation writes to. A file is written as a file of a key, and other sinks get the same bytes.
struct KeyFiles {
  runtime::Sink secret, evaluation;
  std::optional<runtime::Sink> public_key{};  ///< none: no public key is written
};

/// The key that encrypts inputs.
struct EncryptionKey {
  runtime::Source file;
  bool is_public = false;  ///< a public key, which encrypts and does not decrypt; otherwise the secret key
};

/// The roots of the written keys.
struct KeyRoots {
  base::Digest evaluation{};
  std::optional<base::Digest> public_key;
};

}  // namespace tacit::session
