#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/sha256.h"
#include "params/parameter_identity.h"

namespace tacit::runtime {

/// SHA-256 over the parameters of a compiled model and what its two halves hold. It binds the server's half, the
/// client's half, the keys, the ciphertexts and the receipts to each other.
using ModelId = std::array<std::uint8_t, 32>;

/// Of digests of what the halves hold (`content_of` in compiled_model.h).
ModelId model_id(const params::ParameterHash& parameters, const base::Digest& server_half,
                 const base::Digest& client_half);

/// Drawn at random by key generation and carried by every key and ciphertext of one owner: a ciphertext under one
/// secret key and evaluation keys of another are told apart before anything is computed.
using KeySetId = std::array<std::uint8_t, 16>;
KeySetId new_key_set_id();

/// What a key or a ciphertext belongs to.
struct Binding {
  ModelId model{};
  params::ParameterHash parameters{};
  KeySetId key_set{};
  bool operator==(const Binding&) const = default;
};

/// What a file of keys says that it belongs to, and the root of its artefact: of the bytes that were read.
struct Provenance : Binding {
  base::Digest root{};
};

/// Throws KeyMismatch, naming both things and the first eight hexadecimal digits of what differs, unless `actual`
/// belongs to the same model and parameters as `expected`.
void require_same_model(const Binding& expected, const std::string& expected_name, const Binding& actual,
                        const std::string& actual_name);
/// The same, and the same key set.
void require_same_keys(const Binding& expected, const std::string& expected_name, const Binding& actual,
                       const std::string& actual_name);

}  // namespace tacit::runtime
