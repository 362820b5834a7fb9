#include <fmt/format.h>
#include <tacit/merkle.h>

#include <algorithm>
#include <variant>

#include "app/api/access.h"
#include "app/api/memory.h"
#include "base/error.h"
#include "merkle/file_leaves.h"
#include "merkle/memory_leaves.h"
#include "merkle/proof_check.h"
#include "merkle/proof_format.h"
#include "merkle/root_stream.h"
#include "merkle/tree.h"
#include "session/merkle_files.h"

namespace tacit {
namespace {

merkle::TreeScheme scheme_of(const MerkleOptions& options) {
  merkle::TreeScheme scheme = merkle::scheme_from_name(options.hash);
  scheme.leaf_rule = merkle::leaf_rule_from_name(options.leaf);
  scheme.chunk_bytes = scheme.leaf_rule == merkle::LeafRule::digests ? 0 : options.chunk_bytes;
  merkle::require_valid(scheme, "hash, leaf and chunk");
  return scheme;
}

base::AlignedVector<merkle::Digest> leaves_of(const merkle::TreeScheme& scheme, std::span<const std::byte> bytes,
                                              std::uint64_t beside, Progress& progress) {
  if (bytes.empty()) throw InputError("there are no bytes, and every tree needs at least one leaf");
  session::require_room(beside + merkle::leaves_of_size(scheme, bytes.size()), app::api::work_budget(0), "the bytes");
  return merkle::memory_leaves(scheme, bytes, progress);
}

void require_holds(const merkle::Verdict& verdict) {
  if (!verdict) throw KeyMismatch(fmt::format("the proof does not hold: {}", verdict.reason));
}

}  // namespace

struct MerkleProofImpl {
  std::variant<merkle::InclusionProof, merkle::ConsistencyProof> proof;

  const merkle::InclusionProof& inclusion() const {
    if (const auto* found = std::get_if<merkle::InclusionProof>(&proof)) return *found;
    throw InputError("this proof is about a tree that was extended, not about leaves: use verify_extension");
  }
  const merkle::ConsistencyProof& extension() const {
    if (const auto* found = std::get_if<merkle::ConsistencyProof>(&proof)) return *found;
    throw InputError("this proof is about leaves, not about a tree that was extended: use verify");
  }
  merkle::ProofFile file() const {
    return std::visit([](const auto& one) { return merkle::ProofFile(one); }, proof);
  }
  static MerkleProofImpl of(merkle::ProofFile file, std::string_view what) {
    if (auto* found = std::get_if<merkle::InclusionProof>(&file)) return {std::move(*found)};
    if (auto* found = std::get_if<merkle::ConsistencyProof>(&file)) return {std::move(*found)};
    base::refuse("{}: this is the cap of a tree, not a proof", what);
  }
};

MerkleProof MerkleProof::parse(std::string_view content) {
  constexpr std::string_view what = "the proof";
  return detail::Access::make<MerkleProof>(
      Impl::of(merkle::parse_proof(std::as_bytes(std::span(content)), what), what));
}

MerkleProof MerkleProof::load(const std::filesystem::path& path) {
  return detail::Access::make<MerkleProof>(Impl::of(session::load_proof(path), path.string()));
}

void MerkleProof::save(const std::filesystem::path& path) const { session::write_proof(impl_->file(), path); }

std::string MerkleProof::bytes() const {
  const std::vector<std::byte> bytes = merkle::proof_bytes(impl_->file());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string MerkleProof::json() const { return merkle::proof_json(impl_->file()); }

bool MerkleProof::is_extension() const { return std::holds_alternative<merkle::ConsistencyProof>(impl_->proof); }

std::uint64_t MerkleProof::leaves() const {
  return is_extension() ? impl_->extension().new_leaves : impl_->inclusion().leaves;
}

std::vector<std::uint64_t> MerkleProof::indices() const {
  return is_extension() ? std::vector<std::uint64_t>{} : impl_->inclusion().indices;
}

void MerkleProof::verify(std::string_view root, std::span<const std::string> chunks, std::string_view hash) const {
  const merkle::InclusionProof& proof = impl_->inclusion();
  merkle::require_hash(proof.scheme, hash, "the proof");
  require_holds(merkle::verify(proof, merkle::digest_from_hexadecimal(root, "the root")));
  if (chunks.empty()) return;
  std::vector<merkle::Payload> payloads;
  for (std::size_t i = 0; i < chunks.size(); ++i)
    payloads.push_back({fmt::format("chunk {} of those given", i), [&chunks, i] { return chunks[i]; }});
  require_holds(merkle::check_payloads(proof, payloads, "the chunks"));
}

void MerkleProof::verify_extension(std::string_view old_root, std::string_view root, std::string_view hash) const {
  const merkle::ConsistencyProof& proof = impl_->extension();
  merkle::require_hash(proof.scheme, hash, "the proof");
  require_holds(merkle::verify(proof, merkle::digest_from_hexadecimal(old_root, "the older root"),
                               merkle::digest_from_hexadecimal(root, "the root")));
}

struct MerkleTreeImpl {
  merkle::Tree tree;
};

MerkleTree MerkleTree::of_bytes(std::span<const std::byte> bytes, const MerkleOptions& options, Progress& progress) {
  const merkle::TreeScheme scheme = scheme_of(options);
  return detail::Access::make<MerkleTree>(merkle::Tree(scheme, leaves_of(scheme, bytes, 0, progress)));
}

MerkleTree MerkleTree::of_files(const std::vector<std::filesystem::path>& files, const MerkleOptions& options,
                                Progress& progress) {
  const merkle::TreeScheme scheme = scheme_of(options);
  session::require_a_leaf(merkle::FileLeaves(scheme, files), files);
  return detail::Access::make<MerkleTree>(
      merkle::Tree(scheme, session::leaves_of_files(scheme, files, app::api::work_budget(0), progress)));
}

std::string MerkleTree::root() const { return merkle::hexadecimal(impl_->tree.root()); }

std::uint64_t MerkleTree::leaves() const { return impl_->tree.shape().leaves(); }

MerkleTree MerkleTree::extended(std::span<const std::byte> bytes, Progress& progress) const {
  const auto added = leaves_of(impl_->tree.scheme(), bytes, leaves(), progress);
  merkle::Tree tree = impl_->tree;
  tree.append(added);
  return detail::Access::make<MerkleTree>(std::move(tree));
}

MerkleProof MerkleTree::prove(std::vector<std::uint64_t> indices) const {
  std::sort(indices.begin(), indices.end());
  return detail::Access::make<MerkleProof>(impl_->tree.prove(indices));
}

MerkleProof MerkleTree::prove_extension(std::uint64_t old_leaves) const {
  return detail::Access::make<MerkleProof>(impl_->tree.prove_extension(old_leaves));
}

std::string merkle_root(const std::vector<std::filesystem::path>& files, const MerkleOptions& options,
                        Progress& progress) {
  const merkle::TreeScheme scheme = scheme_of(options);
  const merkle::FileLeaves leaves(scheme, files);
  session::require_a_leaf(leaves, files);
  merkle::RootStream stream(scheme);
  leaves.read([&](std::span<const merkle::Digest> run) { stream.append(run); }, progress);
  return merkle::hexadecimal(stream.root());
}

}  // namespace tacit
