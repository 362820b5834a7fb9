#include "tests/e2e/csv_table.h"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace tacit::test {

CsvTable read_csv(const std::filesystem::path& path, std::int64_t limit) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path.string());
  CsvTable table;
  for (; table.rows < limit && std::getline(file, line); ++table.rows) {
    std::vector<double> row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
    table.labels.push_back(row.back());
    row.pop_back();
    table.features = static_cast<std::int64_t>(row.size());
    table.values.insert(table.values.end(), row.begin(), row.end());
  }
  return table;
}

}  // namespace tacit::test
