#pragma once

#include <cstdint>
#include <vector>

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {

/// Fills a tensor by source(position): the offset in `input`, or -1 for the fill. Positions run in row-major order.
template <typename Source>
Tensor gathered(const Call& call, const Tensor& input, Shape shape, double fill, Source source) {
  Tensor result = call.zeros(std::move(shape), input.integral);
  result.texts = input.texts;
  std::vector<std::int64_t> position(result.shape.size(), 0);
  for (double& value : result.data) {
    const std::int64_t from = source(position);
    value = from < 0 ? fill : input.data[static_cast<std::size_t>(from)];
    for (std::size_t i = position.size(); i-- > 0;) {
      if (++position[i] < result.shape[i]) break;
      position[i] = 0;
    }
  }
  return result;
}

/// For every axis of a result, the indices along that axis of the input, or -1 for the fill.
using IndexTables = std::vector<std::vector<std::int64_t>>;

/// Returns the tables that change nothing.
IndexTables identity_tables(const Shape& shape);

/// Returns a tensor whose element at p is the input's at (tables[0][p0], tables[1][p1], ...).
Tensor by_tables(const Call& call, const Tensor& input, const IndexTables& tables, double fill = 0);

}  // namespace tacit::graph::reference
