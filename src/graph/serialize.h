#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/sha256.h"
#include "graph/client_parts.h"

namespace tacit::graph {

/// Convert the client's parts to bytes, and back. The bytes are untrusted: every id, shape and count is checked, and
/// operators must be known. Allocations are bounded by the number of bytes. Both graphs are run once on zeros, to check
/// the stated tensors. Throws InputError.
std::vector<std::uint8_t> to_bytes(const ClientParts& parts);
ClientParts client_parts_from_bytes(std::span<const std::uint8_t> bytes);

/// Convert tensors to bytes, and back. The bytes are untrusted: shapes and counts are checked. Throws InputError.
std::vector<std::uint8_t> to_bytes(std::span<const Tensor> tensors);
std::vector<Tensor> tensors_from_bytes(std::span<const std::uint8_t> bytes);

/// Returns the digest of a graph's names, operators and constants. Notes of the importer do not count.
base::Digest digest(const Graph& graph);

}  // namespace tacit::graph
