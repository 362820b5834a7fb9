#include "artefact_parts.h"
#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "memory_file.h"
#include "search/store.h"

namespace tacit::fuzz {

std::string_view target_name() { return "search_store"; }

std::vector<Bytes> seeds() {
  search::StoreIndex index;
  index.shape = {
      .version = 2, .metric = search::Metric::dot, .dimensions = 8, .records = 5000, .step = 0.01, .largest_norm = 2};
  index.shape.payload = search::PayloadShape{.bytes = 16, .per_group = 250, .groups = 20};
  index.vectors = {{.file = "tiles-1.tacit", .tiles = 1}, {.file = "tiles-2.tacit", .tiles = 1}};
  index.payload = {{.file = "payload-2.tacit", .tiles = 1}};
  index.deleted = {3, 4999};
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "file";
  std::vector<Bytes> all;
  const auto keep = [&] {
    const std::vector<char> bytes = base::read_file(path);
    all.emplace_back(bytes.begin(), bytes.end());
  };
  write_index(index, path);
  keep();
  write_client_file(index, path);
  keep();
  index.shape.records = 3;
  index.shape.payload.reset();
  index.ids = {5, -6, 7};
  index.vectors.resize(1);
  index.payload.clear();
  index.deleted.clear();
  write_index(index, path);
  keep();
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_artefact(from, other, random); }

/// An accepted index names tiles, ids and deleted records that exist.
void check(std::span<const std::uint8_t> bytes) {
  const MemoryFile file(std::as_bytes(bytes));
  search::StoreIndex index;
  base::Digest root;
  const bool store = runtime::artefact_kind(file.path()) == runtime::ArtefactKind::search_store;
  index = store ? search::read_index(file.path(), root) : search::read_client_file(file.path());
  const search::StoreShape& shape = index.shape;
  require(shape.records >= 1 && shape.dimensions >= 1 && shape.step > 0, "a store has records and dimensions");
  require(index.ids.empty() || index.ids.size() == shape.records, "every record has an id");
  for (const std::uint64_t record : index.deleted) require(record < shape.records, "a deleted record exists");
  std::uint64_t tiles = 0;
  for (const search::StoredTiles& part : index.vectors) {
    tiles += part.tiles;
    require(part.file.find('/') == std::string::npos, "tiles are in the folder of the store");
  }
  require(tiles == (store ? shape.tiles() : 0), "the files hold all tiles");
  require(shape.query_scale() > 0, "queries have a scale");
}

}  // namespace tacit::fuzz
