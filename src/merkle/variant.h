#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacit::merkle {

/// Selects one of the hashes called "Rescue Prime, p = 2^64 - 2^32 + 1, 256 bits". The numbers are part of file
/// formats.
/// - A: dense matrix of the paper, capacity in the last four words, digest in words 0 to 3. It is the hash of the
///   published SYCL design and of winterfell 0.3.
/// - C: circulant matrix of small numbers, capacity in the first four words, digest in words 4 to 7. It is the hash of
///   winterfell from 0.4.1 on and of its users.
enum class Variant : std::uint32_t { a = 1, c = 3 };

/// The data that a tree hashes in addition to its leaves. The numbers are part of file formats.
/// - bound: leaves, inner nodes and the root are hashed in separate domains. The root commits to the number of leaves
///   and to the depth. Any number of leaves is allowed.
/// - strict: the published construction. A merge is the hash of eight elements, and the root is the top node. The
///   number of leaves is a power of two. An inner node can pose as a leaf of a shallower tree: use it for compatibility
///   only.
enum class Mode : std::uint32_t { bound = 1, strict = 2 };

/// The meaning of a leaf. The numbers are part of file formats.
enum class LeafRule : std::uint32_t {
  digests = 1,  ///< four field elements, used unchanged
  sha256 = 2,   ///< a chunk of bytes: leaf_of_sha256 of its SHA-256
  bytes = 3,    ///< a chunk of bytes: leaf_of_bytes, Rescue Prime throughout
};

/// Describes how a tree is made from data: hash, mode and leaves. In bound mode the root commits to all of it. In
/// strict mode leaves are digests.
struct TreeScheme {
  Variant variant = Variant::c;
  Mode mode = Mode::bound;
  LeafRule leaf_rule = LeafRule::digests;
  std::uint64_t chunk_bytes = 0;  ///< bytes of a chunk that makes a leaf; 0 for digests. The last chunk may be shorter.
  bool operator==(const TreeScheme&) const = default;
};

inline constexpr std::uint64_t kLargestChunk = std::uint64_t{1} << 30;

/// Returns the name of the hash with its mode and version: "rescue-prime-c.1", "rescue-prime-a.1-strict".
std::string scheme_name(TreeScheme scheme);
/// Returns the scheme of that name over digests. Throws InputError that lists the names.
TreeScheme scheme_from_name(std::string_view name);
std::string_view leaf_rule_name(LeafRule rule);
/// Throws InputError that lists the names.
LeafRule leaf_rule_from_name(std::string_view name);
/// Checks numbers that were read from a file. Throws InputError naming `what` unless variant, mode, leaf rule and chunk
/// size (1 to 2^30 bytes, 0 for digests) are known and fit together.
void require_valid(const TreeScheme& scheme, std::string_view what);

}  // namespace tacit::merkle
