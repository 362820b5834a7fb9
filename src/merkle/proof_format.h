#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "merkle/proof.h"

/// Proofs and caps as bytes and as JSON. The binary form, all integers little-endian:
///
///    0   8  magic 89 'T' 'M' 'R' 'K' 'L' 0d 0a
///    8   4  format version, 1
///   12   4  kind: 1 inclusion, 2 consistency, 3 cap
///   16   4  variant: 1 A, 3 C
///   20   4  mode: 1 bound, 2 strict
///   24   4  leaf rule: 1 digests, 2 sha256, 3 bytes
///   28   4  height where an inclusion proof ends, or of a cap; 0 in a consistency proof
///   32   8  chunk bytes; 0 for digests
///   40   8  leaves of the tree; of the older tree in a consistency proof
///   48   8  leaves of the newer tree; 0 but in a consistency proof
///   56   8  indices k; 0 but in an inclusion proof
///   64   8  nodes n
///   72      k indices of 8 bytes, k leaf digests of 32 bytes, n nodes of 32 bytes; then the file ends
///
/// A digest is four words below 2^64 - 2^32 + 1. The JSON form has the same fields under their names, digests as 64
/// hexadecimal digits of the same bytes.
namespace tacit::merkle {

/// The content of one file: a proof, or the cap at which proofs end.
using ProofFile = std::variant<InclusionProof, ConsistencyProof, Cap>;

std::vector<std::byte> proof_bytes(const ProofFile& file);
std::string proof_json(const ProofFile& file);
/// Reads either form, which the magic distinguishes. Throws InputError naming `what` for anything else:
/// - Sizes must be consistent before anything is allocated.
/// - JSON has at most 64 MiB.
/// - The scheme must exist, and digests must be canonical.
///
/// It does not check that a proof holds or that a cap has the nodes of its height: verify does.
ProofFile parse_proof(std::span<const std::byte> bytes, std::string_view what);

}  // namespace tacit::merkle
