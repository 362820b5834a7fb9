#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tacit::test {

/// A table of numbers whose last column is the label.
struct CsvTable {
  std::int64_t rows = 0, features = 0;
  std::vector<double> values;  ///< [rows, features]
  std::vector<double> labels;
};

/// Reads a comma-separated file with a heading line, at most `limit` rows of it.
CsvTable read_csv(const std::filesystem::path& path, std::int64_t limit);

}  // namespace tacit::test
