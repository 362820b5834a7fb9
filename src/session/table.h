#pragma once

#include <string>
#include <vector>

namespace tacit::session {

/// Rows of text in aligned columns: the first column to the left, the others to the right, two spaces between.
class Table {
 public:
  explicit Table(std::vector<std::string> heading) : columns_(heading.size()) { rows_.push_back(std::move(heading)); }
  /// One cell a column; names in it become printable, so that none begins a line of its own.
  void add(std::vector<std::string> cells);
  /// One line a row, heading first, each indented by two spaces.
  std::string text() const;

 private:
  std::size_t columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tacit::session
