#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "search/quantiser.h"
#include "search/store_builder.h"
#include "session/owner/npy.h"

namespace tacit::app::commands {

/// The rows of a .npy file as vectors. The array must outlive the result. Throws InputError unless the file holds a
/// matrix, or one vector.
search::Vectors vectors_of(const session::NpyArray& array);

/// Reads ids: a .npy file of whole numbers. An empty path gives none.
std::vector<std::int64_t> read_ids(const std::filesystem::path& path);

/// Records beside vectors: a .npy file of uint8 with one row for each record, or a text file with one line for each.
class PayloadFile {
 public:
  /// Throws InputError for another number of records. Lines are padded with zeros to `bytes`, or to the longest line if
  /// it is 0.
  PayloadFile(const std::filesystem::path& path, std::uint64_t records, std::uint64_t bytes);
  search::Payload payload() const;

 private:
  std::uint64_t bytes_ = 0;
  std::vector<std::uint8_t> rows_;
};

/// Adds the commands of `tacit search` that work on the store, and those of client and server.
void add_search_store_commands(CLI::App& group, int& status);
void add_search_question_commands(CLI::App& group, int& status);

}  // namespace tacit::app::commands
