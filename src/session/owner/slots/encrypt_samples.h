#pragma once

#include <span>
#include <vector>

#include "graph/client_parts.h"
#include "runtime/slots/client.h"

namespace tacit::session {

/// Encrypts 1 to `batch` samples of a model for one run of a program. The client's own part runs on each sample, and
/// the results are encrypted side by side. Throws as graph::run_before and Client::encrypt do. Thread safe.
std::vector<runtime::CiphertextArray> encrypt_samples(const runtime::Client& client, const graph::ClientParts& parts,
                                                      std::span<const std::vector<graph::Tensor>> samples);

}  // namespace tacit::session
