#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "merkle/proof.h"

/// Checks of a verifier in addition to the path of nodes to the root.
namespace tacit::merkle {

/// Throws KeyMismatch naming `what` unless the scheme of a proof hashes as `hash` says. A hash that does not exist
/// throws InputError. A root is meaningful only with its hash: in a strict tree of one leaf, the root is the leaf.
void require_hash(const TreeScheme& scheme, std::string_view hash, std::string_view what);

/// A chunk that should be a leaf: its name for the verdict, and its bytes, which are asked for once.
struct Payload {
  std::string name;
  std::function<std::string()> bytes;
};

/// Checks that each payload belongs to the leaf of the proof, in the proof's order. Throws InputError, beginning with
/// `what`, for a proof of digests. It also throws if the numbers of payloads and leaves differ.
Verdict check_payloads(const InclusionProof& proof, const std::vector<Payload>& payloads, std::string_view what);

}  // namespace tacit::merkle
