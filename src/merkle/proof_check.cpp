#include "merkle/proof_check.h"

#include <fmt/format.h>

#include <span>

#include "base/error.h"
#include "merkle/file_leaves.h"

namespace tacit::merkle {

void require_hash(const TreeScheme& scheme, std::string_view hash, std::string_view what) {
  const TreeScheme trusted = scheme_from_name(hash);
  if (scheme.variant != trusted.variant || scheme.mode != trusted.mode)
    throw base::KeyMismatch(
        fmt::format("{} is about a tree of the hash {}, not {}; name the hash of the root that you trust (--hash)",
                    what, scheme_name(scheme), hash));
}

Verdict check_payloads(const InclusionProof& proof, const std::vector<Payload>& payloads, std::string_view what) {
  if (proof.scheme.leaf_rule == LeafRule::digests)
    base::refuse("{}: the leaves of this proof are digests, not chunks of bytes", what);
  if (payloads.size() != proof.leaf_digests.size())
    base::refuse("{}: {} chunks for the {} leaves of the proof", what, payloads.size(), proof.leaf_digests.size());
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    const std::string bytes = payloads[i].bytes();
    if (leaf_of_chunk(proof.scheme, std::as_bytes(std::span(bytes))) != proof.leaf_digests[i])
      return {false, fmt::format("{} is not leaf {}", payloads[i].name, proof.indices[i])};
  }
  return {};
}

}  // namespace tacit::merkle
