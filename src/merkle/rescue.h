#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "merkle/digest.h"
#include "merkle/rescue_constants.h"
#include "merkle/variant.h"

/// Rescue Prime over p = 2^64 - 2^32 + 1 (Szepieniec, Ashur, Dhooghe 2020). The state has 12 words, rate 8 and capacity
/// 4. It passes 7 rounds of x^7 and x^(1/7). Results are canonical. All functions are thread safe.
namespace tacit::merkle {

using State = std::array<std::uint64_t, kStateWords>;

/// The kind of hashed data. Its number goes into a word of the capacity, so that no leaf can pose as an inner node.
/// `plain` is the published hash.
enum class Domain : std::uint64_t { plain = 0, elements = 1, bytes = 2, node = 3, root = 4, sha256 = 5, file = 6 };

/// Applies the permutation to any representatives.
void permute(Variant variant, State& state);

/// Hashes field elements with a sponge. A capacity word starts as their number, and blocks of 8 are added to the rate.
/// With Domain::plain, no elements give the zero digest, as published. Throws InputError for a word that is not
/// canonical.
Digest hash_elements(Variant variant, std::span<const std::uint64_t> elements, Domain domain = Domain::plain);

/// Hashes bytes with a sponge over little-endian words of 7 bytes; a byte 1 follows the last byte. A capacity word
/// starts as the number of words. For at most 56 bytes this equals the published rule. The published rule is defective
/// for more bytes; this rule holds for any length.
Digest hash_bytes(Variant variant, std::span<const std::byte> bytes, Domain domain = Domain::plain);

/// Returns the parent of two nodes in the scheme's domain. Children must be canonical.
Digest merge(const TreeScheme& scheme, const Digest& left, const Digest& right);
/// Returns the four capacity words that a merge starts with.
std::array<std::uint64_t, 4> merge_capacity(const TreeScheme& scheme);
/// Writes `parents.size()` parents of adjacent pairs of children, many at once. `parents` may begin where `children`
/// does.
void merge_pairs(const TreeScheme& scheme, std::span<const Digest> children, std::span<Digest> parents);

/// Return a leaf of a tree from field elements or bytes, in the scheme's domain.
Digest leaf_of_elements(const TreeScheme& scheme, std::span<const std::uint64_t> elements);
Digest leaf_of_bytes(const TreeScheme& scheme, std::span<const std::byte> bytes);
/// Makes many leaves from chunks of bytes, several at once.
void leaves_of_bytes(const TreeScheme& scheme, std::span<const std::span<const std::byte>> chunks,
                     std::span<Digest> leaves);
/// Returns a leaf from the SHA-256 value of a payload. hash_bytes takes its 32 bytes.
Digest leaf_of_sha256(const TreeScheme& scheme, std::span<const std::byte, 32> sha256);
/// Makes many leaves from SHA-256 values of 32 bytes each, several at once.
void leaves_of_sha256(const TreeScheme& scheme, std::span<const std::array<std::uint8_t, 32>> values,
                      std::span<Digest> leaves);

/// Returns the commitment of a tree of `leaves` leaves with the top node `top`. In strict mode it is the node itself.
/// In bound mode it is a hash of the node, the number of leaves, the depth, the leaf rule and the chunk size.
Digest root_of(const TreeScheme& scheme, const Digest& top, std::uint64_t leaves);

}  // namespace tacit::merkle
