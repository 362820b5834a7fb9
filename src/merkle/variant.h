#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tacit::merkle {

/// Which of the hashes called "Rescue Prime, p = 2^64 - 2^32 + 1, 256 bits". The numbers are part of file formats.
/// A: dense matrix of the paper, capacity in the last four words, digest in words 0 to 3 (the published SYCL design,
///    winterfell 0.3).
/// C: circulant matrix of small numbers, capacity in the first four words, digest in words 4 to 7 (winterfell since
///    0.4.1 and what is built on it).
enum class Variant : std::uint32_t { a = 1, c = 3 };

/// What a tree hashes besides its leaves. The numbers are part of file formats.
/// bound:  leaves, inner nodes and the root are hashed in domains of their own, and the root commits to leaf count and
///         depth; any number of leaves.
/// strict: the published construction, in which a merge is the hash of eight elements and the root is the top node;
///         leaf counts are powers of two. An inner node can pose as a leaf of a shallower tree: for compatibility only.
enum class Mode : std::uint32_t { bound = 1, strict = 2 };

/// A hash with its mode, named and versioned: "rescue-prime-c.1", "rescue-prime-a.1-strict".
struct Scheme {
  Variant variant = Variant::c;
  Mode mode = Mode::bound;
  bool operator==(const Scheme&) const = default;
};

std::string scheme_name(Scheme scheme);
/// Throws InputError that lists the names.
Scheme scheme_from_name(std::string_view name);
/// From the numbers of a file; false if there is no such scheme.
bool scheme_from_numbers(std::uint32_t variant, std::uint32_t mode, Scheme& scheme);

}  // namespace tacit::merkle
