#pragma once

#include <span>
#include <vector>

#include "graph/client_parts.h"
#include "runtime/slots/client.h"

namespace tacit::session {

/// What one run of a program takes, from 1 to `batch` samples of a model: the client's own part runs on each, and what
/// it makes is encrypted side by side. Throws what graph::run_before and Client::encrypt throw. Thread safe.
std::vector<runtime::CiphertextArray> encrypt_samples(const runtime::Client& client, const graph::ClientParts& parts,
                                                      std::span<const std::vector<graph::Tensor>> samples);

}  // namespace tacit::session
