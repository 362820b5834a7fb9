#include "search/store_builder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/parallel.h"
#include "base/random.h"

namespace tacit::search {
namespace {

/// Tiles that are made in parallel before they are written.
constexpr std::uint64_t kTilesTogether = 8;
constexpr double kComponentSteps = 127;

void check_records(const Records& records, std::uint64_t dimensions) {
  if (records.vectors.count == 0) base::refuse("there are no vectors; give at least one");
  if (records.vectors.dimensions != dimensions)
    base::refuse("the vectors have {} dimensions, and the store has {}; give vectors of the same model",
                 records.vectors.dimensions, dimensions);
  if (!records.ids.empty() && records.ids.size() != records.vectors.count)
    base::refuse("there are {} ids for {} vectors; give one id for each vector", records.ids.size(),
                 records.vectors.count);
}

void check_ids(const std::vector<std::int64_t>& ids) {
  std::unordered_map<std::int64_t, std::size_t> seen;
  seen.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (const auto [found, added] = seen.emplace(ids[i], i); !added)
      base::refuse("records {} and {} have the same id {}; ids must differ", found->second, i, ids[i]);
}

/// Writes tiles [0, count) that `make` fills.
base::Digest write_tiles(const std::filesystem::path& path, std::uint64_t dimensions, std::uint64_t count,
                         const std::function<void(std::uint64_t tile, std::span<std::int8_t> out)>& make,
                         base::Progress& progress) {
  TileWriter writer(path, dimensions);
  const std::uint64_t bytes = dimensions * kTileNumbers;
  std::vector<std::int8_t> room(std::min(count, kTilesTogether) * bytes);
  for (std::uint64_t first = 0; first < count; first += kTilesTogether) {
    const std::uint64_t here = std::min(kTilesTogether, count - first);
    base::parallel_for(0, here, [&](std::size_t i) { make(first + i, std::span(room).subspan(i * bytes, bytes)); });
    for (std::uint64_t i = 0; i < here; ++i) writer.add(std::span(room).subspan(i * bytes, bytes));
    progress.advance(here);
  }
  return writer.finish();
}

/// Reads the bytes of record `index`: of the old store, or of the added records.
using ReadRecord = std::function<void(std::uint64_t index, std::span<std::uint8_t> out)>;

StoredTiles write_payload(const std::filesystem::path& folder, const StoreIndex& index, const ReadRecord& read,
                          base::Progress& progress) {
  const PayloadShape& payload = *index.shape.payload;
  const std::uint64_t row = payload.tiles() * kTileNumbers;
  if (payload.groups * row > std::vector<std::int8_t>().max_size()) base::refuse("the payload is too large");
  // Byte b of a group is number b % kTileNumbers of tile b / kTileNumbers.
  std::vector<std::int8_t> all(payload.groups * row, 0);
  base::parallel_for(0, payload.groups, [&](std::size_t group) {
    std::vector<std::uint8_t> bytes(row, 0x80);
    for (std::uint64_t i = 0; i < payload.per_group; ++i) {
      const std::uint64_t record = group * payload.per_group + i;
      if (record >= index.shape.records || index.is_deleted(record)) continue;
      read(record, std::span(bytes).subspan(i * payload.bytes, payload.bytes));
    }
    for (std::uint64_t b = 0; b < row; ++b)
      all[(b / kTileNumbers * payload.groups + group) * kTileNumbers + b % kTileNumbers] =
          static_cast<std::int8_t>(bytes[b] ^ 0x80);
  });
  StoredTiles written{.file = fmt::format("payload-{}.tacit", index.shape.version), .tiles = payload.tiles()};
  const std::uint64_t bytes = payload.groups * kTileNumbers;
  written.root = write_tiles(
      folder / written.file, payload.groups, payload.tiles(),
      [&](std::uint64_t tile, std::span<std::int8_t> out) {
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(tile * bytes), bytes, out.begin());
      },
      progress);
  return written;
}

std::uint64_t bytes_of(const std::filesystem::path& folder, const StoreIndex& index) {
  std::uint64_t sum =
      std::filesystem::file_size(folder / kIndexFile) + std::filesystem::file_size(folder / kClientFile);
  for (const auto* files : {&index.vectors, &index.payload})
    for (const StoredTiles& file : *files) sum += std::filesystem::file_size(folder / file.file);
  return sum;
}

/// Makes the version of the index the newest one, and removes files that no version needs.
WrittenStore publish(const std::filesystem::path& folder, const StoreIndex& index) {
  const base::Digest root = write_index(index, folder / kIndexFile);
  write_client_file(index, folder / kClientFile);
  std::set<std::string> used;
  for (const auto* files : {&index.vectors, &index.payload})
    for (const StoredTiles& file : *files) used.insert(file.file);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool tiles = name.starts_with("tiles-") || name.starts_with("payload-");
    if (tiles && !used.contains(name)) runtime::remove_artefact(entry.path());
  }
  return {.shape = index.shape, .root = root, .bytes = bytes_of(folder, index)};
}

/// Lets one writer work on a store.
base::FileDescriptor locked(const std::filesystem::path& folder) {
  base::FileDescriptor lock(folder, O_RDONLY | O_DIRECTORY);
  if (!lock.is_open() || !lock.lock(LOCK_EX))
    base::refuse("{}: cannot open the folder of the store: {}", folder.string(), std::strerror(errno));
  return lock;
}

/// Reads the bytes of a stored record.
class OldRecords {
 public:
  explicit OldRecords(const Store& store) : shape_(*store.shape().payload) {
    tiles_.resize(shape_.tiles() * shape_.groups * kTileNumbers);
    store.read_payload(0, shape_.tiles(), tiles_);
  }
  void read(std::uint64_t record, std::span<std::uint8_t> out) const {
    const std::uint64_t group = record / shape_.per_group, first = record % shape_.per_group * shape_.bytes;
    for (std::uint64_t b = 0; b < out.size(); ++b) {
      const std::uint64_t at = first + b;
      out[b] = static_cast<std::uint8_t>(
          tiles_[(at / kTileNumbers * shape_.groups + group) * kTileNumbers + at % kTileNumbers] ^ 0x80);
    }
  }

 private:
  PayloadShape shape_;
  std::vector<std::int8_t> tiles_;
};

StoreShape shape_of(const Records& records, const BuildChoices& choices) {
  const bool cosine = choices.metric == Metric::cosine;
  if (records.normalise && !cosine) base::refuse("--normalise is for the metric cosine");
  const VectorRange range = range_of(records.vectors, choices.metric, records.normalise);
  const double component = choices.largest_component.value_or(range.largest_component);
  const double longest = component * std::sqrt(static_cast<double>(records.vectors.dimensions));
  const double norm = cosine ? 1 : std::min(longest, choices.largest_norm.value_or(range.largest_norm));
  if (component < range.largest_component)
    base::refuse("--largest-component is {:.4g}, and the vectors have components up to {:.4g}; raise it", component,
                 range.largest_component);
  constexpr double kRoundingErrors = 1e-9;
  if (!cosine && norm * (1 + kRoundingErrors) < range.largest_norm)
    base::refuse("--largest-norm is {:.4g}, and the vectors have norms up to {:.4g}; raise it", norm,
                 range.largest_norm);
  if (component == 0) base::refuse("all vectors are zero; give vectors that differ");
  const base::Seed seed = base::public_seed();
  StoreShape shape{.metric = choices.metric,
                   .dimensions = records.vectors.dimensions,
                   .records = records.vectors.count,
                   .step = component / kComponentSteps,
                   .largest_norm = norm};
  std::copy(seed.begin(), seed.end(), shape.id.begin());
  if (records.payload) shape.payload = payload_shape(shape.records, records.payload->bytes);
  return shape;
}

}  // namespace

WrittenStore build_store(const std::filesystem::path& folder, const Records& records, const BuildChoices& choices,
                         base::Progress& progress) {
  if (records.vectors.dimensions < 1 || records.vectors.dimensions > kMostDimensions)
    base::refuse("the vectors have {} dimensions; a store holds 1 to {}", records.vectors.dimensions, kMostDimensions);
  if (records.vectors.count > kMostRecords)
    base::refuse("there are {} vectors; a store holds up to {}", records.vectors.count, kMostRecords);
  if (records.payload && (records.payload->bytes < 1 || records.payload->bytes > kMostPayloadBytes))
    base::refuse("a record of the payload has {} bytes; 1 to {} are allowed", records.payload->bytes,
                 kMostPayloadBytes);
  check_records(records, records.vectors.dimensions);
  check_ids(records.ids);
  std::error_code error;
  const bool existed = std::filesystem::exists(folder, error);
  if (existed && !std::filesystem::is_empty(folder, error))
    base::refuse("{} exists and is not empty; choose another folder, or add to the store with append", folder.string());
  StoreIndex index{
      .shape = shape_of(records, choices), .vectors = {}, .payload = {}, .ids = records.ids, .deleted = {}};
  const StoreShape& shape = index.shape;
  std::filesystem::create_directories(folder, error);
  if (error) base::refuse("{}: cannot make the folder: {}", folder.string(), error.message());
  try {
    progress.begin("writing tiles", shape.tiles() + (shape.payload ? shape.payload->tiles() : 0));
    StoredTiles& tiles = index.vectors.emplace_back();
    tiles.file = "tiles-1.tacit";
    tiles.tiles = shape.tiles();
    tiles.root = write_tiles(
        folder / tiles.file, shape.dimensions, shape.tiles(),
        [&](std::uint64_t tile, std::span<std::int8_t> out) {
          std::ranges::fill(out, 0);
          quantise(shape, records.vectors, records.normalise, tile * kTileNumbers, 0, out);
        },
        progress);
    if (records.payload) index.payload.push_back(write_payload(folder, index, records.payload->read, progress));
    progress.end();
    return publish(folder, index);
  } catch (...) {
    if (!existed) std::filesystem::remove_all(folder, error);
    throw;
  }
}

WrittenStore append_to_store(const std::filesystem::path& folder, const Records& records, base::Progress& progress) {
  const base::FileDescriptor lock = locked(folder);
  const Store store(folder);
  StoreIndex index = store.index();
  StoreShape& shape = index.shape;
  check_records(records, shape.dimensions);
  if (records.vectors.count > kMostRecords - shape.records)
    base::refuse("the store would hold more than {} records; begin another store", kMostRecords);
  if (records.ids.empty() != index.ids.empty())
    base::refuse("the store {} ids of its own; append records {} --ids", index.ids.empty() ? "has no" : "has",
                 index.ids.empty() ? "without" : "with");
  if (records.payload.has_value() != shape.payload.has_value() ||
      (shape.payload && records.payload->bytes != shape.payload->bytes))
    base::refuse("the records of the store have {} bytes of payload, and the new ones have {}; give the same size",
                 shape.payload ? shape.payload->bytes : 0, records.payload ? records.payload->bytes : 0);
  index.ids.insert(index.ids.end(), records.ids.begin(), records.ids.end());
  check_ids(index.ids);
  const std::uint64_t old_records = shape.records, full = old_records / kTileNumbers;
  const std::uint64_t kept = old_records % kTileNumbers;  // vectors of the last tile, which is written again
  shape.records += records.vectors.count;
  ++shape.version;
  // Full tiles stay in their files.
  std::uint64_t left = full;
  for (StoredTiles& file : index.vectors) {
    file.tiles = std::min(file.tiles, left);
    left -= file.tiles;
  }
  std::erase_if(index.vectors, [](const StoredTiles& file) { return file.tiles == 0; });
  std::vector<std::int8_t> last(kept > 0 ? shape.dimensions * kTileNumbers : 0);
  if (kept > 0) store.read_vectors(full, 1, last);
  const std::uint64_t tiles = shape.tiles() - full;
  const std::uint64_t before = full * kTileNumbers + kept;
  progress.begin("appending", tiles + (shape.payload ? payload_shape(shape.records, shape.payload->bytes).tiles() : 0));
  StoredTiles written{.file = fmt::format("tiles-{}.tacit", shape.version), .tiles = tiles};
  const Vectors& added = records.vectors;
  written.root = write_tiles(
      folder / written.file, shape.dimensions, tiles,
      [&](std::uint64_t tile, std::span<std::int8_t> out) {
        std::fill(out.begin(), out.end(), 0);
        if (tile == 0 && kept > 0) std::copy(last.begin(), last.end(), out.begin());
        const std::uint64_t begin = (full + tile) * kTileNumbers, record = std::max(begin, before);
        quantise(shape, added, records.normalise, record - before, record - begin, out);
      },
      progress);
  index.vectors.push_back(std::move(written));
  if (shape.payload) {
    const OldRecords old(store);
    shape.payload = payload_shape(shape.records, shape.payload->bytes);
    const auto read = [&](std::uint64_t record, std::span<std::uint8_t> out) {
      if (record < old_records)
        old.read(record, out);
      else
        records.payload->read(record - old_records, out);
    };
    index.payload = {write_payload(folder, index, read, progress)};
  }
  progress.end();
  return publish(folder, index);
}

WrittenStore delete_from_store(const std::filesystem::path& folder, std::span<const std::int64_t> ids,
                               base::Progress& progress) {
  const base::FileDescriptor lock = locked(folder);
  const Store store(folder);
  StoreIndex index = store.index();
  std::unordered_map<std::int64_t, std::uint64_t> records;
  for (std::uint64_t i = 0; i < index.ids.size(); ++i) records.emplace(index.ids[i], i);
  std::set<std::uint64_t> deleted(index.deleted.begin(), index.deleted.end());
  for (const std::int64_t id : ids) {
    std::uint64_t record = static_cast<std::uint64_t>(id);
    if (!index.ids.empty()) {
      const auto found = records.find(id);
      record = found == records.end() ? index.shape.records : found->second;
    }
    if (record >= index.shape.records) base::refuse("the store has no record with the id {}; nothing was deleted", id);
    if (!deleted.insert(record).second)
      base::refuse("the record with the id {} is deleted already; nothing was deleted", id);
  }
  index.deleted.assign(deleted.begin(), deleted.end());
  ++index.shape.version;
  progress.begin("deleting", index.shape.payload ? index.shape.payload->tiles() : 1);
  if (index.shape.payload) {
    const OldRecords old(store);
    index.payload = {write_payload(
        folder, index, [&](std::uint64_t record, std::span<std::uint8_t> out) { old.read(record, out); }, progress)};
  }
  progress.end();
  return publish(folder, index);
}

}  // namespace tacit::search
