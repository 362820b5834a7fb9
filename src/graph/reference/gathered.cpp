#include "graph/reference/gathered.h"

#include <numeric>

namespace tacit::graph::reference {

Tensor by_tables(const Call& call, const Tensor& input, const IndexTables& tables, double fill) {
  const std::vector<std::int64_t> strides = strides_of(input.shape);
  Shape shape;
  for (const auto& table : tables) shape.push_back(static_cast<std::int64_t>(table.size()));
  return gathered(call, input, std::move(shape), fill, [&](const std::vector<std::int64_t>& position) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < position.size(); ++i) {
      const std::int64_t index = tables[i][static_cast<std::size_t>(position[i])];
      if (index < 0) return std::int64_t{-1};
      at += index * strides[i];
    }
    return at;
  });
}

IndexTables identity_tables(const Shape& shape) {
  IndexTables tables;
  for (const std::int64_t extent : shape) {
    tables.emplace_back(static_cast<std::size_t>(extent));
    std::iota(tables.back().begin(), tables.back().end(), 0);
  }
  return tables;
}

}  // namespace tacit::graph::reference
