#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "base/sha256.h"
#include "runtime/artefact.h"
#include "search/store_shape.h"

namespace tacit::search {

/// Writes a file of tiles, one after the other. Without `finish` no file remains. Throws InputError naming the path.
class TileWriter {
 public:
  TileWriter(const std::filesystem::path& path, std::uint64_t dimensions);
  /// Adds a tile of kTileNumbers numbers for each dimension.
  void add(std::span<const std::int8_t> tile);
  /// Returns the root of the file.
  base::Digest finish();

 private:
  runtime::ArtefactWriter writer_;
  std::uint64_t dimensions_, tiles_ = 0;
};

/// Reads tiles. Every read checks the chunks that it touches against the root of the file. Throws InputError naming the
/// file on damage, and if the root is not the `expected` one. Thread safe.
class TileReader {
 public:
  TileReader(const std::filesystem::path& path, std::uint64_t dimensions, std::uint64_t least_tiles,
             const base::Digest& expected);
  std::uint64_t tiles() const { return tiles_; }
  /// Reads tiles [first, first + count) into `out`.
  void read(std::uint64_t first, std::uint64_t count, std::span<std::int8_t> out) const;

 private:
  runtime::ArtefactReader reader_;
  const runtime::Section* section_;
  std::uint64_t tile_bytes_, tiles_;
};

}  // namespace tacit::search
