#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <vector>

namespace tacit::test {

/// A table of numbers whose last column is the label.
struct CsvTable {
  std::int64_t rows = 0, features = 0;
  std::vector<double> values;  ///< [rows, features]
  std::vector<double> labels;

  std::span<const double> row(std::int64_t index) const {
    return std::span(values).subspan(static_cast<std::size_t>(index * features), static_cast<std::size_t>(features));
  }
};

/// Reads a comma-separated file with a heading line, at most `limit` rows of it. Throws std::runtime_error if it cannot
/// be read or has rows of different lengths.
CsvTable read_csv(const std::filesystem::path& path, std::int64_t limit = std::numeric_limits<std::int64_t>::max());

}  // namespace tacit::test
