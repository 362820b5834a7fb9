#include "search/tile_file.h"

#include "base/error.h"

namespace tacit::search {
namespace {
constexpr std::string_view kTilesSection = "tiles";
}  // namespace

TileWriter::TileWriter(const std::filesystem::path& path, std::uint64_t dimensions)
    : writer_(path, runtime::ArtefactKind::search_tiles), dimensions_(dimensions) {
  writer_.begin_section(kTilesSection, runtime::SectionType::numbers);
}

void TileWriter::add(std::span<const std::int8_t> tile) {
  if (tile.size() != dimensions_ * kTileNumbers) throw base::InternalError("a tile of another size");
  writer_.write(std::as_bytes(tile));
  ++tiles_;
}

base::Digest TileWriter::finish() { return writer_.finish(); }

TileReader::TileReader(const std::filesystem::path& path, std::uint64_t dimensions, std::uint64_t least_tiles,
                       const base::Digest& expected)
    : reader_(path, runtime::ArtefactKind::search_tiles),
      section_(&reader_.section(kTilesSection, runtime::SectionType::numbers)),
      tile_bytes_(dimensions * kTileNumbers),
      tiles_(section_->bytes / tile_bytes_) {
  if (reader_.root() != expected)
    base::refuse("{}: its root is {}, and the store names {}; copy the whole folder of the store again", path.string(),
                 base::hexadecimal(std::span(reader_.root()).first<4>()),
                 base::hexadecimal(std::span(expected).first<4>()));
  if (tiles_ * tile_bytes_ != section_->bytes || tiles_ < least_tiles)
    base::refuse("{}: it holds {} bytes of tiles, and the store needs {} tiles of {} bytes; copy the folder again",
                 path.string(), section_->bytes, least_tiles, tile_bytes_);
}

void TileReader::read(std::uint64_t first, std::uint64_t count, std::span<std::int8_t> out) const {
  reader_.read(*section_, first * tile_bytes_, std::as_writable_bytes(out.first(count * tile_bytes_)));
}

}  // namespace tacit::search
