#include "session/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "session/sentence.h"

namespace tacit::session {

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_);
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> width(columns_, 0);
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < columns_; ++c) width[c] = std::max(width[c], fmt::formatted_size("{:s}", row[c]));
  std::string out;
  for (const auto& row : rows_) {
    std::string line = " ";
    for (std::size_t c = 0; c < columns_; ++c)
      line += c == 0 ? fmt::format(" {:<{}}", row[c], width[c]) : fmt::format("  {:>{}}", row[c], width[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace tacit::session
