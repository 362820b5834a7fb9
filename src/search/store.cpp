#include "search/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_fields.h"
#include "runtime/description.h"

namespace tacit::search {
namespace {

using runtime::ArtefactKind;
using runtime::SectionType;

constexpr std::string_view kIdsSection = "ids", kDeletedSection = "deleted";

nlohmann::json json_of(const std::vector<StoredTiles>& files) {
  nlohmann::json list = nlohmann::json::array();
  for (const StoredTiles& file : files)
    list.push_back({{"file", file.file}, {"tiles", file.tiles}, {"root", base::hexadecimal(file.root)}});
  return list;
}

std::vector<StoredTiles> files_from(const nlohmann::json& list, std::uint64_t tiles, const char* what) {
  std::vector<StoredTiles> files;
  std::uint64_t sum = 0;
  for (const nlohmann::json& json : list) {
    if (!json.is_object()) base::refuse("the files of {} are no list of objects", what);
    base::JsonFields fields(json, "a file of tiles");
    StoredTiles& file = files.emplace_back();
    file.file = fields.text("file");
    // A name from outside must not lead out of the folder.
    if (file.file.empty() || file.file.find('/') != std::string::npos || file.file[0] == '.')
      base::refuse("a file of {} has the name '{:.64}', which is no plain file name", what, file.file);
    file.tiles = fields.number("tiles");
    if (file.tiles > tiles - sum) base::refuse("the files of {} hold more than its {} tiles", what, tiles);
    sum += file.tiles;
    runtime::from_hexadecimal(fields.text("root"), file.root);
    fields.require_no_others();
  }
  if (sum != tiles) base::refuse("the files of {} hold {} of its {} tiles", what, sum, tiles);
  return files;
}

template <class Number>
std::vector<Number> read_numbers(const runtime::ArtefactReader& reader, std::string_view name) {
  const runtime::Section& section = reader.section(name, SectionType::numbers);
  if (section.bytes % sizeof(Number) != 0) base::refuse("its section '{}' is cut off", name);
  std::vector<Number> numbers(section.bytes / sizeof(Number));  // bounded by the size of the file
  reader.read(section, 0, std::as_writable_bytes(std::span(numbers)));
  return numbers;
}

base::Digest write_parts(const StoreIndex& index, const std::filesystem::path& path, ArtefactKind kind) {
  nlohmann::json json{{"shape", to_json(index.shape)}};
  if (kind == ArtefactKind::search_store) {
    json["vectors"] = json_of(index.vectors);
    json["payload"] = json_of(index.payload);
  }
  runtime::ArtefactWriter writer(path, kind);
  writer.add_section(runtime::kAboutSection, SectionType::text, runtime::about_text(kind, json));
  writer.add_section(kIdsSection, SectionType::numbers, std::as_bytes(std::span(index.ids)));
  writer.add_section(kDeletedSection, SectionType::numbers, std::as_bytes(std::span(index.deleted)));
  return writer.finish();
}

StoreIndex read_parts(const std::filesystem::path& path, ArtefactKind kind, base::Digest& root) {
  const runtime::ArtefactReader reader(path, kind);
  root = reader.root();
  StoreIndex index;
  runtime::parsing(path, [&] {
    const base::HeldJson about = runtime::about(reader);
    base::JsonFields fields(*about, "the description of a store");
    index.shape = shape_from_json(fields.take("shape"));
    if (kind == ArtefactKind::search_store) {
      index.vectors = files_from(fields.list("vectors"), index.shape.tiles(), "the vectors");
      index.payload =
          files_from(fields.list("payload"), index.shape.payload ? index.shape.payload->tiles() : 0, "the payload");
    }
    fields.require_no_others();
    index.ids = read_numbers<std::int64_t>(reader, kIdsSection);
    if (!index.ids.empty() && index.ids.size() != index.shape.records)
      base::refuse("it holds {} ids for {} records", index.ids.size(), index.shape.records);
    index.deleted = read_numbers<std::uint64_t>(reader, kDeletedSection);
    for (std::size_t i = 0; i < index.deleted.size(); ++i)
      if (index.deleted[i] >= index.shape.records || (i > 0 && index.deleted[i] <= index.deleted[i - 1]))
        base::refuse("its list of deleted records is out of order or range");
  });
  return index;
}

void read_from(const std::vector<TileReader>& readers, const std::vector<StoredTiles>& files, std::uint64_t tile_bytes,
               std::uint64_t first, std::uint64_t count, std::span<std::int8_t> out) {
  for (std::size_t f = 0; f < files.size() && count > 0; ++f) {
    if (first >= files[f].tiles) {
      first -= files[f].tiles;
      continue;
    }
    const std::uint64_t here = std::min(count, files[f].tiles - first);
    readers[f].read(first, here, out);
    out = out.subspan(here * tile_bytes);
    count -= here;
    first = 0;
  }
  if (count > 0) throw base::InternalError("a tile beyond the store was asked for");
}

}  // namespace

bool StoreIndex::is_deleted(std::uint64_t record) const {
  return std::binary_search(deleted.begin(), deleted.end(), record);
}

base::Digest write_index(const StoreIndex& index, const std::filesystem::path& path) {
  return write_parts(index, path, ArtefactKind::search_store);
}
base::Digest write_client_file(const StoreIndex& index, const std::filesystem::path& path) {
  return write_parts(index, path, ArtefactKind::search_client);
}
StoreIndex read_index(const std::filesystem::path& path, base::Digest& root) {
  return read_parts(path, ArtefactKind::search_store, root);
}
StoreIndex read_client_file(const std::filesystem::path& path) {
  base::Digest root;
  return read_parts(path, ArtefactKind::search_client, root);
}

Store::Store(const std::filesystem::path& folder) {
  // A writer may replace the version between its index and its files. The files are then those of the next index.
  for (;;) {
    index_ = read_index(folder / kIndexFile, root_);
    try {
      open_files(folder);
      return;
    } catch (const base::InputError&) {
      base::Digest newest;
      read_index(folder / kIndexFile, newest);
      if (newest == root_) throw;
    }
  }
}

void Store::open_files(const std::filesystem::path& folder) {
  vectors_.clear();
  payload_.clear();
  for (const StoredTiles& file : index_.vectors)
    vectors_.emplace_back(folder / file.file, shape().dimensions, file.tiles, file.root);
  for (const StoredTiles& file : index_.payload)
    payload_.emplace_back(folder / file.file, shape().payload->groups, file.tiles, file.root);
}

void Store::read_vectors(std::uint64_t first, std::uint64_t count, std::span<std::int8_t> out) const {
  read_from(vectors_, index_.vectors, shape().dimensions * kTileNumbers, first, count, out);
}

void Store::read_payload(std::uint64_t first, std::uint64_t count, std::span<std::int8_t> out) const {
  read_from(payload_, index_.payload, shape().payload->groups * kTileNumbers, first, count, out);
}

}  // namespace tacit::search
