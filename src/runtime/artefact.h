#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "merkle/variant.h"

/// The container of all data that leaves the process: models, keys and ciphertexts. All integers are little-endian.
///
/// - header: 128 bytes with magic, format version, kind, file size, chunk size, sections, sizes, root algorithm, scheme
///   and root.
/// - body: the sections' bytes, each section on a 64-byte boundary, then the section table.
/// - digests: SHA-256 of every 1 MiB chunk of the body.
///
/// The root is that of a Merkle tree (merkle/tree_shape.h) of the scheme kArtefactTree. Leaf 0 is the header without
/// the root, and leaves 1, 2, ... are the chunks. Leaves are made from SHA-256 values, and inner nodes by Rescue Prime.
/// One comparison therefore verifies the header and the digests. A chunk is checked when it is read. A proof system can
/// open one chunk. The root's algorithm is a field of the header.
namespace tacit::runtime {

inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
inline constexpr std::uint32_t kArtefactVersion = 5;

/// The way the tree of an artefact is hashed.
inline constexpr merkle::TreeScheme kArtefactTree{.leaf_rule = merkle::LeafRule::sha256, .chunk_bytes = kChunkBytes};

/// The kind of an artefact. The numbers are part of the format.
enum class ArtefactKind : std::uint32_t {
  server_model = 1,
  client_model = 2,
  secret_key = 3,
  public_key = 4,
  evaluation_keys = 5,
  ciphertexts = 6,
  checkpoint = 7,
  search_store = 8,    ///< the index of a store of vectors
  search_tiles = 9,    ///< tiles of a store
  search_client = 10,  ///< the part of an index that clients get
  search_question = 11,
  search_answer = 12,
};

/// The scheme of an artefact's parameters, keys and ciphertexts. The numbers are part of the format.
enum class ArtefactScheme : std::uint32_t { ckks = 1, tfhe = 2 };
/// Returns "CKKS" or "TFHE".
std::string_view scheme_name(ArtefactScheme scheme);

/// Returns "a server model", "evaluation keys", …
std::string_view kind_name(ArtefactKind kind);

/// The encoding of a section. The numbers are part of the format.
enum class SectionType : std::uint32_t {
  text = 1,        ///< UTF-8, or JSON
  program = 2,     ///< binary form of a program (src/program)
  key = 3,         ///< binary form of a key or a part of one (src/scheme)
  ciphertext = 4,  ///< binary form of ciphertexts (src/scheme)
  digests = 5,     ///< SHA-256 values, one after the other
  numbers = 6,     ///< little-endian integers of one size, one after the other
};

/// A named part of an artefact.
struct Section {
  std::string name;
  SectionType type{};
  std::uint64_t offset = 0;  ///< from the start of the body
  std::uint64_t bytes = 0;
};

/// Writes an artefact in one pass to a temporary file next to `path`. `finish` renames it, so that a reader never sees
/// half a file. Without `finish` no file remains. A secret key's file is created with mode 0600. Throws InputError
/// naming the path if the file cannot be written. Throws it also if the path is no regular file, because the renamed
/// file would replace a device. Not thread safe.
class ArtefactWriter {
 public:
  ArtefactWriter(std::filesystem::path path, ArtefactKind kind, ArtefactScheme scheme = ArtefactScheme::ckks);
  ~ArtefactWriter();
  ArtefactWriter(const ArtefactWriter&) = delete;
  ArtefactWriter& operator=(const ArtefactWriter&) = delete;

  /// Starts a section, and ends the one before it. Names are 1 to 255 bytes and distinct.
  void begin_section(std::string_view name, SectionType type);
  void write(std::span<const std::byte> bytes);
  void add_section(std::string_view name, SectionType type, std::span<const std::byte> bytes);
  void add_section(std::string_view name, SectionType type, std::string_view text);
  /// Writes table, digests and header, moves the file to its path and returns its root.
  base::Digest finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Removes the file at `path`, and the temporary files that killed writers left next to it. No writer of the file may
/// be running. Files that cannot be removed stay.
void remove_artefact(const std::filesystem::path& path);

/// Reads an artefact. Opening checks magic, version, kind, every size against the real file, the root and the section
/// table. It allocates no more than the file's size justifies. Reading checks every chunk that it touches. All damage
/// is an InputError that names the file, and for the body the chunk and the section. Reading is thread safe.
class ArtefactReader {
 public:
  /// Throws InputError also for a file of another kind, and KeyMismatch for one of another scheme, naming it. Without
  /// `scheme` it accepts any scheme.
  ArtefactReader(const std::filesystem::path& path, ArtefactKind expected,
                 std::optional<ArtefactScheme> scheme = ArtefactScheme::ckks);
  ~ArtefactReader();
  ArtefactReader(ArtefactReader&&) noexcept;
  ArtefactReader& operator=(ArtefactReader&&) noexcept;

  const std::filesystem::path& path() const;
  ArtefactKind kind() const;
  ArtefactScheme scheme() const;
  const base::Digest& root() const;
  std::uint64_t file_bytes() const;
  const std::vector<Section>& sections() const;
  /// Returns a section. Throws InputError if there is no such section, or if it is of another type.
  const Section& section(std::string_view name, SectionType type) const;

  std::vector<std::byte> read(const Section& section) const;
  std::string read_text(const Section& section) const;
  /// Reads `out.size()` bytes from `offset` within the section. The whole range must be inside the section.
  void read(const Section& section, std::uint64_t offset, std::span<std::byte> out) const;
  /// Checks every chunk.
  void verify() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Return the kind and the scheme of the artefact at `path`. Each checks the whole header, and throws InputError for
/// another file.
ArtefactKind artefact_kind(const std::filesystem::path& path);
ArtefactScheme artefact_scheme(const std::filesystem::path& path);

/// Refuses a secret key on a machine that may be a server. Throws InputError if the file at `path` is a secret key.
/// Does nothing for any other file, readable or not. `who` is the command that must not get it ("evaluate").
void refuse_secret_key(const std::filesystem::path& path, std::string_view who);

}  // namespace tacit::runtime
