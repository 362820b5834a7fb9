#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "merkle/variant.h"
#include "runtime/sink.h"
#include "runtime/source.h"

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
  owner_group = 13,   ///< owners of one secret key, and what each of them committed to
  key_part = 14,      ///< what one of them sends for the keys
  result_share = 15,  ///< what one of them sends for results
  receiver_key = 16,  ///< the public key of somebody who owns parts or receives results
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

/// Writes an artefact into a sink. A file takes the bytes as they come. Memory and streams begin with the header, which
/// holds the root of all bytes. Without `write_artefact` the writer therefore keeps the whole artefact until `finish`.
/// Without `finish` nothing remains. Throws InputError naming the sink if it cannot take the bytes. Not thread safe.
class ArtefactWriter {
 public:
  ArtefactWriter(const Sink& sink, ArtefactKind kind, ArtefactScheme scheme = ArtefactScheme::ckks);
  ~ArtefactWriter();
  ArtefactWriter(const ArtefactWriter&) = delete;
  ArtefactWriter& operator=(const ArtefactWriter&) = delete;

  /// Starts a section, and ends the one before it. Names are 1 to 255 bytes and distinct.
  void begin_section(std::string_view name, SectionType type);
  void write(std::span<const std::byte> bytes);
  void add_section(std::string_view name, SectionType type, std::span<const std::byte> bytes);
  void add_section(std::string_view name, SectionType type, std::string_view text);
  /// Writes table, digests and header, makes the artefact whole and returns its root.
  base::Digest finish();

 private:
  friend base::Digest write_artefact(const Sink& sink, ArtefactKind kind, ArtefactScheme scheme,
                                     const std::function<void(ArtefactWriter&)>& sections);
  struct Impl;
  explicit ArtefactWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Writes an artefact with the sections that `sections` adds, and returns its root. Keeps at most one chunk and the
/// digests in memory. For memory and streams it calls `sections` twice: first it measures the artefact, then it writes.
/// Both calls add the same bytes; InternalError otherwise.
base::Digest write_artefact(const Sink& sink, ArtefactKind kind, ArtefactScheme scheme,
                            const std::function<void(ArtefactWriter&)>& sections);

/// Reads an artefact. Opening checks magic, version, kind, every size against the real source, the root and the section
/// table. It allocates no more than the size of the source justifies. Reading checks every chunk that it touches. All
/// damage is an InputError that names the source, and for the body the chunk and the section. Reading is thread safe.
class ArtefactReader {
 public:
  /// Throws InputError also for another kind, and KeyMismatch for another scheme, naming it. Without `scheme` it
  /// accepts any scheme.
  ArtefactReader(const Source& source, ArtefactKind expected,
                 std::optional<ArtefactScheme> scheme = ArtefactScheme::ckks);
  ~ArtefactReader();
  ArtefactReader(ArtefactReader&&) noexcept;
  ArtefactReader& operator=(ArtefactReader&&) noexcept;

  /// Returns the name of the source, for messages.
  const std::string& name() const;
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

/// Return the kind and the scheme of an artefact. Each checks the whole header, and throws InputError for other bytes.
ArtefactKind artefact_kind(const Source& source);
ArtefactScheme artefact_scheme(const Source& source);

/// Refuses a secret key on a machine that may be a server. Throws InputError if the source is a secret key. Does
/// nothing for any other source, readable or not. `who` is the command that must not get it ("evaluate").
void refuse_secret_key(const Source& source, std::string_view who);

}  // namespace tacit::runtime
