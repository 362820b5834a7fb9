#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "merkle/proof_format.h"
#include "merkle/tree.h"
#include "splice.h"

namespace {

using namespace tacit::merkle;

Digest leaf(std::uint64_t i) { return {{i, i * i, 7, ~i % goldilocks::kModulus}}; }

constexpr unsigned kCapLevels = 3;

/// Trees, sound proofs about them and a cap, in both forms.
struct Examples {
  Tree tree{{}, leaves(37)}, older{{}, leaves(21)};
  Cap cap = tree.cap(kCapLevels);
  std::vector<std::vector<std::uint8_t>> files;
  Examples() {
    const std::array<std::uint64_t, 3> indices{2, 3, 36};
    for (const ProofFile& proof : {ProofFile(tree.prove(indices)), ProofFile(tree.prove(indices, kCapLevels)),
                                   ProofFile(tree.prove_extension(21)), ProofFile(cap)}) {
      const auto bytes = proof_bytes(proof);
      const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
      files.emplace_back(first, first + bytes.size());
      const std::string text = proof_json(proof);
      files.emplace_back(text.begin(), text.end());
    }
  }
  static tacit::base::AlignedVector<Digest> leaves(std::uint64_t count) {
    tacit::base::AlignedVector<Digest> all(count);
    for (std::uint64_t i = 0; i < count; ++i) all[i] = leaf(i);
    return all;
  }
};

/// Whatever is parsed round-trips; whatever holds is true.
void check(std::span<const std::uint8_t> bytes, const Examples& examples) {
  try {
    const ProofFile proof = parse_proof(std::as_bytes(bytes), "fuzz");
    if (parse_proof(proof_bytes(proof), "fuzz") != proof) std::abort();
    if (const auto* inclusion = std::get_if<InclusionProof>(&proof)) {
      const bool below_cap = verify(*inclusion, examples.cap).holds;
      if (!below_cap && !verify(*inclusion, examples.tree.root())) return;
      for (std::size_t i = 0; i < inclusion->indices.size(); ++i)
        if (inclusion->leaf_digests[i] != leaf(inclusion->indices[i])) std::abort();
      if (*inclusion != examples.tree.prove(inclusion->indices, below_cap ? kCapLevels : 0)) std::abort();
    } else if (const auto* consistency = std::get_if<ConsistencyProof>(&proof)) {
      if (verify(*consistency, examples.older.root(), examples.tree.root()) &&
          *consistency != examples.tree.prove_extension(21))
        std::abort();
    } else {
      const Cap& cap = std::get<Cap>(proof);
      if (cap_root(cap) == examples.tree.root() && cap != examples.tree.cap(examples.tree.shape().depth() - cap.height))
        std::abort();
    }
  } catch (const tacit::base::InputError&) {
  }
}

}  // namespace

/// Any bytes are a proof, a cap or an InputError, and no mutation of a sound one holds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Examples examples;
  check({data, size}, examples);
  if (size > 3) check(tacit::fuzz::splice(examples.files[data[2] / 2 % examples.files.size()], {data, size}), examples);
  return 0;
}
