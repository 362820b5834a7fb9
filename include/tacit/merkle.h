#pragma once

/// Merkle trees over Rescue Prime (docs/merkle.md). A root commits to bytes. A short proof shows that some of the bytes
/// belong to the root's tree. The files are those of `tacit merkle`.
///
/// Bytes are cut into chunks, and each chunk is a leaf. Roots and digests are written as 64 hexadecimal digits. A root
/// has a meaning only together with its hash: the verifier names the hash, and takes nothing from the proof.
///
/// Objects are immutable, cheap to copy (they share their content) and safe to use from many threads at once. Errors:
/// InputError, KeyMismatch (a proof that does not hold), Cancelled, InternalError.

#include <tacit/error.h>
#include <tacit/handle.h>
#include <tacit/progress.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit {

/// The default hash of roots.
inline constexpr std::string_view kMerkleHash = "rescue-prime-c.1";

/// The way bytes become a tree.
struct MerkleOptions {
  std::string hash{kMerkleHash};  ///< or "rescue-prime-a.1"; the suffix "-strict" selects the published construction
  std::string leaf = "sha256";  ///< digest of a chunk: "sha256" or "bytes" (slow); "digests": every 32 bytes are a leaf
  std::uint64_t chunk_bytes = std::uint64_t{1} << 20;  ///< size of a chunk, 1 to 2^30; ignored for digests
};

/// A proof that a tree has certain leaves, or that a tree extends an older one. Verification trusts no part of it.
class TACIT_API MerkleProof : public detail::Handle<const struct MerkleProofImpl> {
 public:
  /// Reads a proof in bytes or JSON. Throws InputError for anything else.
  static MerkleProof parse(std::string_view content);
  /// Throws InputError for a file that is missing, larger than 1 GiB or no proof.
  static MerkleProof load(const std::filesystem::path& path);
  /// Writes JSON if the name ends in .json, and bytes otherwise.
  void save(const std::filesystem::path& path) const;
  std::string bytes() const;
  std::string json() const;

  /// True for a proof by MerkleTree::prove_extension.
  bool is_extension() const;
  /// The number of leaves of the tree; for an extension, of the newer tree.
  std::uint64_t leaves() const;
  /// The indices of the proved leaves, ascending. An extension has none.
  std::vector<std::uint64_t> indices() const;

  /// Returns if the proof holds against a root of that hash. `chunks`, if present, are the chunks of `indices()`, in
  /// that order. Throws KeyMismatch, saying why, if the proof does not hold. Throws InputError for an extension, an
  /// invalid root and another number of chunks.
  void verify(std::string_view root, std::span<const std::string> chunks = {},
              std::string_view hash = kMerkleHash) const;
  /// Returns if the tree of `root` has the leaves of the tree of `old_root`, followed by others. Throws as `verify`
  /// does.
  void verify_extension(std::string_view old_root, std::string_view root, std::string_view hash = kMerkleHash) const;

 private:
  using Handle::Handle;
};

/// A tree in memory, with 64 bytes per leaf.
class TACIT_API MerkleTree : public detail::Handle<const struct MerkleTreeImpl> {
 public:
  /// Makes the tree over the chunks of `bytes`. Throws InputError for empty `bytes`, for unknown or contradictory
  /// options, and for trees larger than the free memory.
  static MerkleTree of_bytes(std::span<const std::byte> bytes, const MerkleOptions& options = {},
                             Progress& progress = Progress::silent());
  /// Makes the tree over the chunks of files, which are read once and not held. If there are several files, each begins
  /// with a leaf that holds its name and length. Throws as above, and for files that cannot be read.
  static MerkleTree of_files(const std::vector<std::filesystem::path>& files, const MerkleOptions& options = {},
                             Progress& progress = Progress::silent());

  std::string root() const;
  std::uint64_t leaves() const;
  /// Returns a tree with the leaves of this one, followed by the chunks of `bytes`. A last chunk that is shorter than
  /// the others stays as it is.
  MerkleTree extended(std::span<const std::byte> bytes, Progress& progress = Progress::silent()) const;
  /// Proves the leaves at `indices`. Throws InputError unless there is an index and all are distinct and below
  /// leaves().
  MerkleProof prove(std::vector<std::uint64_t> indices) const;
  /// Proves that this tree extends the tree of its first `old_leaves` leaves. Throws InputError unless 1 <= old_leaves
  /// <= leaves().
  MerkleProof prove_extension(std::uint64_t old_leaves) const;

 private:
  using Handle::Handle;
};

/// Returns the root of the tree of MerkleTree::of_files. The memory does not grow with the files.
TACIT_API std::string merkle_root(const std::vector<std::filesystem::path>& files, const MerkleOptions& options = {},
                                  Progress& progress = Progress::silent());

}  // namespace tacit
