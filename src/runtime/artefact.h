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

/// The container of everything that leaves the process: models, keys and ciphertexts. All integers are little-endian.
///
/// - header: 128 bytes: magic, format version, kind, file size, chunk size, sections, sizes, root algorithm, scheme,
/// root;
/// - body: the sections' bytes, each section on a 64-byte boundary, then the section table;
/// - digests: SHA-256 of every 1 MiB chunk of the body.
///
/// The root is that of a Merkle tree (merkle/tree_shape.h) over the header, with the root left out, as leaf 0, and the
/// chunks as leaves 1, 2, ...: leaves from SHA-256 values, inner nodes by Rescue Prime, the scheme kArtefactTree. So
/// one comparison vouches for the header and the digests, a chunk is checked when it is read, and a proof system can
/// open one chunk. The root's algorithm is a field of the header.
namespace tacit::runtime {

inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
inline constexpr std::uint32_t kArtefactVersion = 5;

/// How the tree of an artefact is hashed.
inline constexpr merkle::Scheme kArtefactTree{.leaf_rule = merkle::LeafRule::sha256, .chunk_bytes = kChunkBytes};

/// What an artefact is. The numbers are part of the format.
enum class ArtefactKind : std::uint32_t {
  server_model = 1,
  client_model = 2,
  secret_key = 3,
  public_key = 4,
  evaluation_keys = 5,
  ciphertexts = 6,
  checkpoint = 7,
};

/// Whose parameters, keys and ciphertexts an artefact holds. The numbers are part of the format.
enum class ArtefactScheme : std::uint32_t { ckks = 1, tfhe = 2 };
/// "CKKS", "TFHE".
std::string_view scheme_name(ArtefactScheme scheme);

/// "a server model", "evaluation keys", …
std::string_view kind_name(ArtefactKind kind);

/// How the bytes of a section are read. The numbers are part of the format.
enum class SectionType : std::uint32_t {
  text = 1,        ///< UTF-8, or JSON
  program = 2,     ///< the program room's binary form
  key = 3,         ///< the scheme room's binary form of a key or a part of one
  ciphertext = 4,  ///< the scheme room's binary form of ciphertexts
  digests = 5,     ///< SHA-256 values, one after the other
};

/// One named stretch of an artefact.
struct Section {
  std::string name;
  SectionType type{};
  std::uint64_t offset = 0;  ///< from the start of the body
  std::uint64_t bytes = 0;
};

/// Writes an artefact in one pass to a temporary file beside `path`, which `finish` renames, so that a reader never
/// sees half a file. A secret key's file is created with mode 0600. Without `finish` nothing is left behind.
/// Throws InputError naming the path when the file cannot be written, or when something other than a file is there: a
/// renamed file would take the place of a device. Not thread safe.
class ArtefactWriter {
 public:
  ArtefactWriter(std::filesystem::path path, ArtefactKind kind, ArtefactScheme scheme = ArtefactScheme::ckks);
  ~ArtefactWriter();
  ArtefactWriter(const ArtefactWriter&) = delete;
  ArtefactWriter& operator=(const ArtefactWriter&) = delete;

  /// Starts a section; the one before it ends. Names are 1 to 255 bytes and distinct.
  void begin_section(std::string_view name, SectionType type);
  void write(std::span<const std::byte> bytes);
  void add_section(std::string_view name, SectionType type, std::span<const std::byte> bytes);
  void add_section(std::string_view name, SectionType type, std::string_view text);
  /// Writes table, digests and header, puts the file in its place and returns its root.
  base::Digest finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Removes the file at `path`, and what a writer of it left beside it that was killed. No writer of it may be at work.
/// What cannot be removed stays.
void remove_artefact(const std::filesystem::path& path);

/// Reads an artefact. Opening checks magic, version, kind, every size against the real file, the root and the section
/// table, and allocates no more than the file's size justifies; reading checks every chunk it touches. All damage is an
/// InputError that names the file, and for the body the chunk and the section. Reading is thread safe.
class ArtefactReader {
 public:
  /// Throws InputError also when the file is of another kind or of another scheme, and says of which. No scheme: of
  /// any.
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
  /// Throws InputError if there is no such section, or if it is of another type.
  const Section& section(std::string_view name, SectionType type) const;

  std::vector<std::byte> read(const Section& section) const;
  std::string read_text(const Section& section) const;
  /// Reads `out.size()` bytes from `offset` within the section; both must lie inside it.
  void read(const Section& section, std::uint64_t offset, std::span<std::byte> out) const;
  /// Checks every chunk.
  void verify() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The kind and the scheme of the artefact at `path`; each checks the whole header. Throw InputError if it is none.
ArtefactKind artefact_kind(const std::filesystem::path& path);
ArtefactScheme artefact_scheme(const std::filesystem::path& path);

/// Refuses a secret key wherever a server might be: throws InputError if the file at `path` is one, and does nothing
/// for any other file, readable or not. `who` is the command that must not get it ("evaluate").
void refuse_secret_key(const std::filesystem::path& path, std::string_view who);

}  // namespace tacit::runtime
