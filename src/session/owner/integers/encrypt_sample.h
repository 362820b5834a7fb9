#pragma once

#include <vector>

#include "graph/client_parts.h"
#include "runtime/integers/integer_client.h"

namespace tacit::session {

/// Runs the client's part before encryption on a sample of the model and encrypts what comes out. What is held of the
/// sample on the way is wiped. Throws InputError as graph::run_before and IntegerClient::encrypt.
std::vector<scheme::tfhe::SeededLweCiphertexts> encrypt_sample(const runtime::IntegerClient& client,
                                                               const graph::ClientParts& parts,
                                                               const std::vector<graph::Tensor>& sample);

}  // namespace tacit::session
