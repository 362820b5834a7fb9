#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "merkle/digest.h"
#include "merkle/rescue_constants.h"
#include "merkle/variant.h"

/// Rescue Prime over p = 2^64 - 2^32 + 1 (Szepieniec, Ashur, Dhooghe 2020): state of 12 words, rate 8, capacity 4,
/// 7 rounds, x^7 and x^(1/7). Results are canonical. All functions are thread safe.
namespace tacit::merkle {

using State = std::array<std::uint64_t, kStateWords>;

/// What is hashed. The number goes into a word of the capacity, so that no leaf can pose as an inner node; `plain` is
/// the published hash.
enum class Domain : std::uint64_t { plain = 0, elements = 1, bytes = 2, node = 3, root = 4, sha256 = 5, file = 6 };

/// The permutation, on any representatives.
void permute(Variant variant, State& state);

/// Sponge over field elements: a capacity word starts as their number, blocks of 8 are added to the rate. With
/// Domain::plain no elements give the zero digest, as published. Throws InputError for a word that is not canonical.
Digest hash_elements(Variant variant, std::span<const std::uint64_t> elements, Domain domain = Domain::plain);

/// Sponge over bytes: little-endian words of 7 bytes, the last followed by a byte 1; a capacity word starts as the
/// number of words. Up to 56 bytes this is the published rule, which is defective beyond; here it holds for any length.
Digest hash_bytes(Variant variant, std::span<const std::byte> bytes, Domain domain = Domain::plain);

/// The parent of two nodes in the scheme's domain. Children must be canonical.
Digest merge(const Scheme& scheme, const Digest& left, const Digest& right);
/// The four capacity words that a merge starts with.
std::array<std::uint64_t, 4> merge_capacity(const Scheme& scheme);
/// `parents.size()` parents of adjacent pairs of children, many at once; the parents may begin where the children do.
void merge_pairs(const Scheme& scheme, std::span<const Digest> children, std::span<Digest> parents);

/// A leaf of a tree from field elements or bytes, in the scheme's domain.
Digest leaf_of_elements(const Scheme& scheme, std::span<const std::uint64_t> elements);
Digest leaf_of_bytes(const Scheme& scheme, std::span<const std::byte> bytes);
/// Many leaves from chunks of bytes, several at once.
void leaves_of_bytes(const Scheme& scheme, std::span<const std::span<const std::byte>> chunks,
                     std::span<Digest> leaves);
/// A leaf from the SHA-256 value of a payload: its 32 bytes as hash_bytes takes them.
Digest leaf_of_sha256(const Scheme& scheme, std::span<const std::byte, 32> sha256);
/// Many leaves from SHA-256 values, 32 bytes each, several at once.
void leaves_of_sha256(const Scheme& scheme, std::span<const std::array<std::uint8_t, 32>> values,
                      std::span<Digest> leaves);

/// What a tree of `leaves` leaves with the top node `top` commits to: the node itself in strict mode; else a hash of
/// the node, the number of leaves, the depth, the leaf rule and the chunk size.
Digest root_of(const Scheme& scheme, const Digest& top, std::uint64_t leaves);

}  // namespace tacit::merkle
