#include "app/commands/merkle_source.h"

#include "base/byte_size.h"
#include "session/merkle_files.h"

namespace tacit::app::commands {

void MerkleSource::add_to(CLI::App& command) {
  command.add_option("--hash", hash, "Rescue Prime of variant a or c, bound or strict: rescue-prime-c.1, ...")
      ->capture_default_str();
  command
      .add_option(
          "--leaf", leaf,
          "sha256: SHA-256 of a chunk; bytes: Rescue Prime of a chunk (slow); digests: every 32 bytes are a leaf")
      ->capture_default_str();
  command.add_option("--chunk", chunk, "Bytes of a leaf, like 64KiB; the last of a file may be shorter")
      ->capture_default_str();
  compute.add_to(command);
}

merkle::TreeScheme MerkleSource::scheme() const {
  merkle::TreeScheme scheme = merkle::scheme_from_name(hash);
  scheme.leaf_rule = merkle::leaf_rule_from_name(leaf);
  scheme.chunk_bytes = scheme.leaf_rule == merkle::LeafRule::digests ? 0 : base::parse_byte_size(chunk);
  merkle::require_valid(scheme, "--hash, --leaf and --chunk");
  return scheme;
}

nlohmann::ordered_json MerkleSource::describe(const std::vector<std::filesystem::path>& files) const {
  const merkle::TreeScheme s = scheme();
  nlohmann::ordered_json json{
      {"hash", merkle::scheme_name(s)}, {"leaf", merkle::leaf_rule_name(s.leaf_rule)}, {"chunk_bytes", s.chunk_bytes}};
  for (const merkle::FileLeaves::Part& part : merkle::FileLeaves(s, files).parts())
    json["files"].push_back({{"name", part.name}, {"bytes", part.bytes}, {"first_leaf", part.first_leaf}});
  return json;
}

base::AlignedVector<merkle::Digest> MerkleSource::leaves(const std::vector<std::filesystem::path>& files,
                                                         base::Progress& progress) const {
  return session::leaves_of_files(scheme(), files, compute.memory_budget(), progress);
}

merkle::Tree MerkleSource::tree(const std::vector<std::filesystem::path>& files, base::Progress& progress) const {
  session::require_a_leaf(merkle::FileLeaves(scheme(), files), files);
  return {scheme(), leaves(files, progress)};
}

}  // namespace tacit::app::commands
