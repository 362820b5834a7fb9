#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/sha256.h"
#include "graph/client_parts.h"

namespace tacit::graph {

/// The bytes of what a client runs, and back. Untrusted bytes: every id, shape and count is checked, allocations are
/// bounded by the bytes, operators must be known, and both graphs are run once on zeros, so that they make the tensors
/// that they state. Throws InputError.
std::vector<std::uint8_t> to_bytes(const ClientParts& parts);
ClientParts client_parts_from_bytes(std::span<const std::uint8_t> bytes);

/// The bytes of tensors, and back. Untrusted bytes: shapes and counts are checked. Throws InputError.
std::vector<std::uint8_t> to_bytes(std::span<const Tensor> tensors);
std::vector<Tensor> tensors_from_bytes(std::span<const std::uint8_t> bytes);

/// Of all that a graph computes and is called by: names, operators, constants. Notes of the importer do not count.
base::Digest digest(const Graph& graph);

}  // namespace tacit::graph
