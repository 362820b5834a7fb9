#pragma once

/// Private search (docs/private-search.md): stores of vectors and records that answer encrypted questions. Everything
/// goes from files to files, as `tacit search` does it. A store is a folder. Its `client.tacit` is for clients.
///
/// The server does not learn queries. A client learns the scores of all records: as many chosen queries as a vector has
/// dimensions give away the store. Functions are thread safe. Errors: InputError, KeyMismatch (files that do not belong
/// together), Cancelled, InternalError.

#include <tacit/error.h>
#include <tacit/progress.h>
#include <tacit/receipt.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit {

/// The content of a new store, or of an append. The memory belongs to the caller.
struct SearchRecords {
  std::span<const double> vectors{};        ///< one after the other
  std::size_t dimensions = 0;               ///< numbers of a vector, 1 to 4,096
  std::span<const std::int64_t> ids{};      ///< one for each vector, distinct; empty: the record numbers
  std::span<const std::uint8_t> payload{};  ///< the bytes of all records, one after the other; empty: none
  std::size_t payload_bytes = 0;            ///< bytes of a record, up to 2^20
  bool normalise = false;                   ///< divide each vector by its norm; for cosine
};

/// The facts of one version of a store.
struct SearchStore {
  std::uint64_t version = 0;  ///< counts from 1
  std::uint64_t records = 0;  ///< deleted ones included
  std::uint64_t dimensions = 0;
  std::string metric;
  std::string root;  ///< Merkle root, which commits to every vector: 64 hexadecimal digits
};

/// Makes the folder of a store. `metric` is "cosine", "dot" or "euclid". `largest_component` leaves room for later
/// vectors (0: the largest component of these). Throws InputError for vectors that a store cannot hold, and for a
/// folder that is not empty.
TACIT_API SearchStore build_search_store(const std::filesystem::path& folder, const SearchRecords& records,
                                         std::string_view metric = "cosine", double largest_component = 0,
                                         Progress& progress = Progress::silent());
/// Adds records as a new version. Searches that are under way see the version before.
TACIT_API SearchStore append_to_search_store(const std::filesystem::path& folder, const SearchRecords& records,
                                             Progress& progress = Progress::silent());
/// Deletes records by their ids, as a new version.
TACIT_API SearchStore delete_from_search_store(const std::filesystem::path& folder, std::span<const std::int64_t> ids,
                                               Progress& progress = Progress::silent());
/// Returns the facts of the newest version.
TACIT_API SearchStore search_store(const std::filesystem::path& folder);

/// The files of a client.
struct SearchClientFiles {
  std::filesystem::path client;  ///< client.tacit of the store
  std::filesystem::path secret;  ///< the secret key, mode 0600
};

/// Writes the secret key, and the evaluation keys for the server. Replaces existing files.
TACIT_API void generate_search_keys(const SearchClientFiles& files, const std::filesystem::path& evaluation,
                                    Progress& progress = Progress::silent());
/// Encrypts queries, one after the other, and writes private notes beside the file (`output`.notes). `top` is the
/// number of best records that read_scores returns.
TACIT_API void ask_scores(const SearchClientFiles& files, std::span<const double> queries, std::uint64_t top,
                          const std::filesystem::path& output, Progress& progress = Progress::silent());
/// Encrypts the numbers of records to fetch, by their ids.
TACIT_API void ask_records(const SearchClientFiles& files, std::span<const std::int64_t> ids,
                           const std::filesystem::path& output, Progress& progress = Progress::silent());

/// Answers questions from the newest version of a store, without any secret. Writes the answers, and the receipt to
/// `answer`.receipt. Its field `model` is the root of the store. `coarse` answers show less of the store.
/// `memory_bytes` bounds expanded questions (0: the free memory of this machine).
TACIT_API Receipt answer_questions(const std::filesystem::path& store, const std::filesystem::path& evaluation,
                                   const std::filesystem::path& question, const std::filesystem::path& answer,
                                   bool coarse = false, std::uint64_t memory_bytes = 0,
                                   Progress& progress = Progress::silent());

/// A record of an answer.
struct SearchHit {
  std::int64_t id = 0;
  std::uint64_t record = 0;
  double score = 0;
};
/// Returns the best records of each query, the nearest first. Scores are for the owner of the key.
TACIT_API std::vector<std::vector<SearchHit>> read_scores(const SearchClientFiles& files,
                                                          const std::filesystem::path& question,
                                                          const std::filesystem::path& answer);
/// Goes the whole way in this process, with keys of its own: to try a store. No key and no question is written. Returns
/// what read_scores would.
TACIT_API std::vector<std::vector<SearchHit>> query_store(const std::filesystem::path& store,
                                                          std::span<const double> queries, std::uint64_t top,
                                                          Progress& progress = Progress::silent());
/// Returns the bytes of each fetched record. They are exact.
TACIT_API std::vector<std::string> read_records(const SearchClientFiles& files, const std::filesystem::path& question,
                                                const std::filesystem::path& answer);

}  // namespace tacit
