#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "merkle/proof.h"

/// What verifiers ask of a proof besides that its nodes lead to the root.
namespace tacit::merkle {

/// Throws KeyMismatch naming `what` unless the scheme of a proof hashes as `hash` says (InputError: no such hash). A
/// root means something together with its hash alone: in a strict tree of one leaf it is the leaf.
void require_hash(const Scheme& scheme, std::string_view hash, std::string_view what);

/// A chunk that ought to be a leaf: its name for the verdict, and its bytes, which are asked for once.
struct Payload {
  std::string name;
  std::function<std::string()> bytes;
};

/// Whether each payload is what the leaf of the proof stands for, in its order. Throws InputError, beginning with
/// `what`, for a proof of digests and for another number of payloads than of leaves.
Verdict check_payloads(const InclusionProof& proof, const std::vector<Payload>& payloads, std::string_view what);

}  // namespace tacit::merkle
