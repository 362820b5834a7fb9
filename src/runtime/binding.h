#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "params/parameter_identity.h"
#include "program/client_interface.h"
#include "program/slots/program.h"

namespace tacit::runtime {

/// SHA-256 over the parameters, the program with its weights, the client interface and what the client runs in the
/// clear (the bytes of ClientModel::parts) of a compiled model. It binds the server's half, the client's half, the keys
/// and the ciphertexts to each other.
using ModelId = std::array<std::uint8_t, 32>;

ModelId model_id(const params::ParameterHash& parameters, const slots::Program& program,
                 const program::ClientInterface& client, std::span<const std::uint8_t> client_parts);

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

/// Throws KeyMismatch, naming both things and the first eight hexadecimal digits of what differs, unless `actual`
/// belongs to the same model and parameters as `expected`.
void require_same_model(const Binding& expected, const std::string& expected_name, const Binding& actual,
                        const std::string& actual_name);
/// The same, and the same key set.
void require_same_keys(const Binding& expected, const std::string& expected_name, const Binding& actual,
                       const std::string& actual_name);

}  // namespace tacit::runtime
