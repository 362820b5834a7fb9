#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/progress.h"
#include "base/sha256.h"
#include "search/quantiser.h"
#include "search/store.h"

namespace tacit::search {

/// Records beside the vectors: `read` writes the `bytes` bytes of record `index`. Called by several threads at once.
struct Payload {
  std::uint64_t bytes = 0;
  std::function<void(std::uint64_t index, std::span<std::uint8_t> out)> read;
};

/// The content of a new store, or of an append.
struct Records {
  Vectors vectors;
  std::vector<std::int64_t> ids{};   ///< empty: the record numbers
  std::optional<Payload> payload{};  ///< given if and only if the store has one
  bool normalise = false;            ///< divide each vector by its norm; for cosine only
};

struct BuildChoices {
  Metric metric = Metric::cosine;
  std::optional<double> largest_component{}, largest_norm{};  ///< room for later vectors; absent: those of the vectors
};

/// The facts of a written version.
struct WrittenStore {
  StoreShape shape{};
  base::Digest root{};
  std::uint64_t bytes = 0;  ///< of all its files
};

/// Makes the folder of a store: index, client's file and tiles. Throws InputError if the folder exists and is not
/// empty, and for vectors, ids, payloads and ranges that a store cannot hold. A failed build leaves no folder. Several
/// threads share the work.
WrittenStore build_store(const std::filesystem::path& folder, const Records& records, const BuildChoices& choices,
                         base::Progress& progress);

/// Adds records as a new version. Full tiles stay; only the last tile and the payload are written again. Readers of
/// older versions are not disturbed. One writer at a time works on a store; others wait. Throws InputError as above.
WrittenStore append_to_store(const std::filesystem::path& folder, const Records& records, base::Progress& progress);

/// Marks records as deleted, in a new version. Answers give no score of a deleted record, and its payload is erased.
/// Throws InputError for an id that the store does not have, or has deleted already.
WrittenStore delete_from_store(const std::filesystem::path& folder, std::span<const std::int64_t> ids,
                               base::Progress& progress);

}  // namespace tacit::search
