#include "session/merkle_files.h"

#include <span>

#include "base/byte_size.h"
#include "base/error.h"
#include "session/bounded_file.h"
#include "session/output_files.h"

namespace tacit::session {
namespace {

constexpr std::uintmax_t kLargestProof = std::uintmax_t{1} << 30;

}  // namespace

void require_a_leaf(const merkle::FileLeaves& leaves, const std::vector<std::filesystem::path>& files) {
  if (leaves.count() == 0)
    base::refuse("{}{}: there is nothing in it, and a Merkle tree needs at least one leaf",
                 files.empty() ? "" : files.front().string(), files.size() > 1 ? " and the other files" : "");
}

void require_room(std::uint64_t leaves, const base::MemoryBudget& budget, std::string_view what) {
  const std::uint64_t needed = leaves * 2 * sizeof(merkle::Digest);
  if (const std::uint64_t there = budget.available(); needed > there)
    base::refuse("{}: a tree of {} leaves takes {} of memory, and there are {}; use larger chunks (--chunk)", what,
                 leaves, base::byte_size_text(static_cast<double>(needed)),
                 base::byte_size_text(static_cast<double>(there)));
}

base::AlignedVector<merkle::Digest> leaves_of_files(const merkle::TreeScheme& scheme,
                                                    const std::vector<std::filesystem::path>& files,
                                                    const base::MemoryBudget& budget, base::Progress& progress) {
  const merkle::FileLeaves source(scheme, files);
  if (source.count() > 0) require_room(source.count(), budget, files.front().string());
  base::AlignedVector<merkle::Digest> leaves;
  leaves.reserve(source.count());
  source.read([&](std::span<const merkle::Digest> run) { leaves.insert(leaves.end(), run.begin(), run.end()); },
              progress);
  return leaves;
}

merkle::ProofFile load_proof(const std::filesystem::path& path) {
  const std::string bytes = read_bounded(path, kLargestProof);
  return merkle::parse_proof(std::as_bytes(std::span(bytes)), path.string());
}

void write_proof(const merkle::ProofFile& proof, const std::filesystem::path& path) {
  if (path.extension() == ".json") return write_file(path, merkle::proof_json(proof));
  const std::vector<std::byte> bytes = merkle::proof_bytes(proof);
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace tacit::session
