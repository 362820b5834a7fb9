#include "tests/data/csv_table.h"

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
    const auto features = static_cast<std::int64_t>(row.size());
    if (table.rows > 0 && features != table.features)
      throw std::runtime_error(path.string() + ": rows of different lengths");
    table.features = features;
    table.values.insert(table.values.end(), row.begin(), row.end());
  }
  return table;
}

}  // namespace tacit::test
