#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned.h"
#include "base/progress.h"
#include "merkle/digest.h"
#include "merkle/variant.h"

namespace tacit::merkle {

/// Returns the number of leaves of `bytes` bytes.
std::uint64_t leaves_of_size(const TreeScheme& scheme, std::uint64_t bytes);

/// Returns the leaves of bytes in memory, equal to those of a file with this content (FileLeaves). It hashes on all
/// threads. Progress counts bytes. Throws InputError for a scheme that does not exist, for digests that are not
/// canonical, and for digests that are not a whole number of 32 bytes.
base::AlignedVector<Digest> memory_leaves(const TreeScheme& scheme, std::span<const std::byte> bytes,
                                          base::Progress& progress = base::Progress::silent());

}  // namespace tacit::merkle
