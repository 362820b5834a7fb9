#include <array>

#include "base/error.h"
#include "merkle/proof_format.h"
#include "merkle/tree.h"
#include "mutate_bytes.h"
#include "target.h"

namespace tacit::fuzz {

using namespace merkle;

namespace {

constexpr unsigned kCapLevels = 3;

Digest leaf(std::uint64_t i) { return {{i, i * i, 7, ~i % goldilocks::kModulus}}; }

base::AlignedVector<Digest> leaves(std::uint64_t count) {
  base::AlignedVector<Digest> all(count);
  for (std::uint64_t i = 0; i < count; ++i) all[i] = leaf(i);
  return all;
}

/// What the proofs are about.
struct Trees {
  Tree whole{{}, leaves(37)}, older{{}, leaves(21)};
  Cap cap = whole.cap(kCapLevels);
};

const Trees& trees() {
  static const Trees made;
  return made;
}

/// Whatever holds is true.
void check_proof(const InclusionProof& proof) {
  const bool below_cap = verify(proof, trees().cap).holds;
  if (!below_cap && !verify(proof, trees().whole.root())) return;
  for (std::size_t i = 0; i < proof.indices.size(); ++i)
    require(proof.leaf_digests[i] == leaf(proof.indices[i]), "a leaf that is proven is in the tree");
  require(proof == trees().whole.prove(proof.indices, below_cap ? kCapLevels : 0), "a true statement has one proof");
}
void check_proof(const ConsistencyProof& proof) {
  if (verify(proof, trees().older.root(), trees().whole.root()))
    require(proof == trees().whole.prove_extension(21), "a true statement has one proof");
}
void check_proof(const Cap& cap) {
  if (cap_root(cap) == trees().whole.root())
    require(cap == trees().whole.cap(trees().whole.shape().depth() - cap.height), "a tree has one cap of a height");
}

}  // namespace

std::string_view target_name() { return "merkle_proof"; }

std::vector<Bytes> seeds() {
  const std::array<std::uint64_t, 3> indices{2, 3, 36};
  const Tree& tree = trees().whole;
  std::vector<Bytes> all;
  for (const ProofFile& proof : {ProofFile(tree.prove(indices)), ProofFile(tree.prove(indices, kCapLevels)),
                                 ProofFile(tree.prove_extension(21)), ProofFile(trees().cap)}) {
    const auto bytes = proof_bytes(proof);
    const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    all.emplace_back(first, first + bytes.size());
    all.push_back(bytes_of(proof_json(proof)));
  }
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) {
  return !from.empty() && from[0] == '{' ? mutate_text(from, other, random) : mutate_bytes(from, other, random);
}

/// A proof or a cap reads as it was written in either form, and no mutation of a sound one holds.
void check(std::span<const std::uint8_t> bytes) {
  const ProofFile proof = parse_proof(std::as_bytes(bytes), "fuzz");
  require(parse_proof(proof_bytes(proof), "fuzz") == proof, "a proof reads as its bytes were written");
  const std::string json = proof_json(proof);
  require(parse_proof(std::as_bytes(std::span(json)), "fuzz") == proof, "a proof reads as its text was written");
  std::visit([](const auto& of_kind) { check_proof(of_kind); }, proof);
}

}  // namespace tacit::fuzz
