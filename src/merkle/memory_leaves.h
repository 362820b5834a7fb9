#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned.h"
#include "base/progress.h"
#include "merkle/digest.h"
#include "merkle/variant.h"

namespace tacit::merkle {

/// How many leaves so many bytes have.
std::uint64_t leaves_of_size(const Scheme& scheme, std::uint64_t bytes);

/// The leaves of bytes in memory: those that FileLeaves has of a file with this content. Hashes on all threads;
/// progress counts bytes. Throws InputError for a scheme that does not exist, and for digests that are not canonical or
/// no whole number of 32 bytes.
base::AlignedVector<Digest> memory_leaves(const Scheme& scheme, std::span<const std::byte> bytes,
                                          base::Progress& progress = base::Progress::silent());

}  // namespace tacit::merkle
