#pragma once

#include <cstdint>
#include <span>

#include "merkle/digest.h"
#include "merkle/tree_shape.h"
#include "merkle/variant.h"

namespace tacit::merkle {

/// Writes the nodes [begin, end) of a height above 0 from their children, which must exist.
void write_level(const TreeScheme& scheme, const TreeShape& shape, std::span<const Digest> leaves,
                 std::span<Digest> nodes, unsigned height, std::uint64_t begin, std::uint64_t end);
/// Does the same on all threads, block by block.
void write_level_in_parallel(const TreeScheme& scheme, const TreeShape& shape, std::span<const Digest> leaves,
                             std::span<Digest> nodes, unsigned height, std::uint64_t begin, std::uint64_t end);

}  // namespace tacit::merkle
