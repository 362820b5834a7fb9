#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "runtime/artefact.h"
#include "search/store_shape.h"
#include "search/tile_file.h"

namespace tacit::search {

/// The names of files in the folder of a store.
inline constexpr std::string_view kIndexFile = "store.tacit", kClientFile = "client.tacit";

/// A file of tiles of a store, of which the first `tiles` are used.
struct StoredTiles {
  std::string file;  ///< in the folder of the store
  std::uint64_t tiles = 0;
  base::Digest root{};
};

/// The content of the index file of a store: one version. It names the roots of all files of tiles, so that its own
/// root commits to the whole store.
struct StoreIndex {
  StoreShape shape{};
  std::vector<StoredTiles> vectors;    ///< in order; together shape.tiles() tiles
  std::vector<StoredTiles> payload;    ///< none or one
  std::vector<std::int64_t> ids;       ///< by record; empty: ids are record numbers
  std::vector<std::uint64_t> deleted;  ///< record numbers, rising

  std::int64_t id(std::uint64_t record) const { return ids.empty() ? static_cast<std::int64_t>(record) : ids[record]; }
  bool is_deleted(std::uint64_t record) const;
};

/// Writes an index, or the part of it that clients get: shape, ids and deleted records. Returns the root.
base::Digest write_index(const StoreIndex& index, const std::filesystem::path& path);
base::Digest write_client_file(const StoreIndex& index, const std::filesystem::path& path);
/// Reads these files. The bytes are untrusted. Throws InputError naming the file. The file of a client names no tiles.
StoreIndex read_index(const std::filesystem::path& path, base::Digest& root);
StoreIndex read_client_file(const std::filesystem::path& path);

/// One version of a store on disk, open for reading. Later appends and deletions do not change it: files of tiles are
/// never rewritten, and open ones stay readable. Thread safe.
class Store {
 public:
  /// Opens the newest version. Throws InputError naming the file that is missing, cut off, damaged or of another
  /// version.
  explicit Store(const std::filesystem::path& folder);
  const StoreIndex& index() const { return index_; }
  const StoreShape& shape() const { return index_.shape; }
  /// Returns the root of the index, which commits to every tile.
  const base::Digest& root() const { return root_; }
  /// Reads tiles [first, first + count) of the vectors, or of the payload, and checks them against their roots.
  void read_vectors(std::uint64_t first, std::uint64_t count, std::span<std::int8_t> out) const;
  void read_payload(std::uint64_t first, std::uint64_t count, std::span<std::int8_t> out) const;

 private:
  void open_files(const std::filesystem::path& folder);
  StoreIndex index_;
  base::Digest root_{};
  std::vector<TileReader> vectors_, payload_;
};

}  // namespace tacit::search
