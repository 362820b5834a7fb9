#pragma once

/// Merkle trees over Rescue Prime: a root that commits to bytes, and short proofs that a part of them stands in it
/// (docs/merkle.md; the files are those of `tacit merkle`).
///
/// Bytes are cut into chunks, each of which is a leaf. Roots and digests are written as 64 hexadecimal digits. A root
/// means something together with its hash alone: whoever verifies names the hash and takes nothing from the proof.
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

/// The hash that roots are of unless another is named.
inline constexpr std::string_view kMerkleHash = "rescue-prime-c.1";

/// How bytes become a tree.
struct MerkleOptions {
  std::string hash{kMerkleHash};  ///< or "rescue-prime-a.1"; "-strict" behind either: the published construction
  std::string leaf = "sha256";    ///< of a chunk: "sha256" or "bytes" (slow); "digests": every 32 bytes are a leaf
  std::uint64_t chunk_bytes = std::uint64_t{1} << 20;  ///< of a leaf, 1 to 2^30; ignored for digests
};

/// That certain leaves stand in a tree, or that a tree extends an older one. Nothing in it is believed.
class TACIT_API MerkleProof : public detail::Handle<const struct MerkleProofImpl> {
 public:
  /// From bytes or JSON. Throws InputError for anything else.
  static MerkleProof parse(std::string_view content);
  /// Throws InputError for a file that is missing, larger than 1 GiB or no proof.
  static MerkleProof load(const std::filesystem::path& path);
  /// As JSON where the name ends in .json.
  void save(const std::filesystem::path& path) const;
  std::string bytes() const;
  std::string json() const;

  /// True for a proof by MerkleTree::prove_extension.
  bool is_extension() const;
  /// Of the tree, the newer one of an extension.
  std::uint64_t leaves() const;
  /// The leaves that it is about, ascending; of an extension none.
  std::vector<std::uint64_t> indices() const;

  /// Returns if the proof holds against a root of that hash. `chunks`, if there are any, must be those of `indices()`,
  /// one each. Throws KeyMismatch, saying why, if it does not hold, and InputError for an extension, a root that is
  /// none, and another number of chunks.
  void verify(std::string_view root, std::span<const std::string> chunks = {},
              std::string_view hash = kMerkleHash) const;
  /// The same for a proof that the tree of `root` has the leaves of the one of `old_root`, and then others.
  void verify_extension(std::string_view old_root, std::string_view root, std::string_view hash = kMerkleHash) const;

 private:
  using Handle::Handle;
};

/// A tree in memory: 64 bytes a leaf.
class TACIT_API MerkleTree : public detail::Handle<const struct MerkleTreeImpl> {
 public:
  /// Over the chunks of `bytes`. Throws InputError for no bytes, options that do not exist or go together, and trees
  /// larger than the free memory.
  static MerkleTree of_bytes(std::span<const std::byte> bytes, const MerkleOptions& options = {},
                             Progress& progress = Progress::silent());
  /// Over the chunks of files, which are read once and not held. Of several files each begins with a leaf for its name
  /// and length. Throws as above, and for files that cannot be read.
  static MerkleTree of_files(const std::vector<std::filesystem::path>& files, const MerkleOptions& options = {},
                             Progress& progress = Progress::silent());

  std::string root() const;
  std::uint64_t leaves() const;
  /// A tree with the chunks of `bytes` behind the leaves of this one. A last chunk that is shorter than others stays as
  /// it is.
  MerkleTree extended(std::span<const std::byte> bytes, Progress& progress = Progress::silent()) const;
  /// Throws InputError unless there is an index and all are distinct and below leaves().
  MerkleProof prove(std::vector<std::uint64_t> indices) const;
  /// That this tree extends the one of its first `old_leaves` leaves. Throws InputError unless these are 1 to leaves().
  MerkleProof prove_extension(std::uint64_t old_leaves) const;

 private:
  using Handle::Handle;
};

/// The root of the tree of MerkleTree::of_files, in memory that does not grow with the files.
TACIT_API std::string merkle_root(const std::vector<std::filesystem::path>& files, const MerkleOptions& options = {},
                                  Progress& progress = Progress::silent());

}  // namespace tacit
