#pragma once

#include <string>
#include <vector>

namespace tacit::session {

/// Rows of text in aligned columns: the first column to the left, the others to the right, two spaces between.
class Table {
 public:
  explicit Table(std::vector<std::string> heading) : columns_(heading.size()) { rows_.push_back(std::move(heading)); }
  /// Adds one cell per column. Names in it become printable, so that none begins a new line.
  void add(std::vector<std::string> cells);
  /// Returns one line per row, heading first, each indented by two spaces.
  std::string text() const;

 private:
  std::size_t columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tacit::session
