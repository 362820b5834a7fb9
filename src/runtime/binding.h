#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/sha256.h"
#include "params/parameter_identity.h"

namespace tacit::runtime {

/// SHA-256 over the parameters of a compiled model and the content of its two halves. It binds the server's half, the
/// client's half, the keys, the ciphertexts and the receipts to each other.
using ModelId = std::array<std::uint8_t, 32>;

/// Returns the id from digests of the halves' contents (`content_of` in compiled_model.h).
ModelId model_id(const params::ParameterHash& parameters, const base::Digest& server_half,
                 const base::Digest& client_half);

/// A random id that key generation draws. Every key and ciphertext of one owner carries it. It detects a ciphertext
/// under one secret key and evaluation keys of another before anything is computed.
using KeySetId = std::array<std::uint8_t, 16>;
KeySetId new_key_set_id();

/// The model, the parameters and the key set of a key or a ciphertext.
struct Binding {
  ModelId model{};
  params::ParameterHash parameters{};
  KeySetId key_set{};
  bool operator==(const Binding&) const = default;
};

/// The binding that a file of keys states, and the root of its artefact, which covers the bytes that were read.
struct Provenance : Binding {
  base::Digest root{};
};

/// The way out where `actual` below is of another model.
inline constexpr const char* kMakeKeys = "make the keys for this model";
inline constexpr const char* kEncryptInputs = "encrypt the inputs for this model, and name this file";
inline constexpr const char* kNameResults = "name the results that this model gave";

/// Throws KeyMismatch unless `actual` belongs to the same model and parameters as `expected`. The error names both
/// things, the first eight hexadecimal digits of the differing ids, and the way out.
void require_same_model(const Binding& expected, const std::string& expected_name, const Binding& actual,
                        const std::string& actual_name, const char* way_out = kMakeKeys);
/// Checks model, parameters and key set in the same way.
void require_same_keys(const Binding& expected, const std::string& expected_name, const Binding& actual,
                       const std::string& actual_name, const char* way_out = kMakeKeys);

}  // namespace tacit::runtime
