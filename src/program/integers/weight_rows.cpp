#include "program/integers/weight_rows.h"

#include <cmath>
#include <limits>

#include "base/error.h"

namespace tacit::integers {

WeightRows::WeightRows(const layout::LinearOperator& op) {
  const layout::Index rows = layout::element_count(op.out_shape());
  begin_.push_back(0);
  layout::RowEntries entries;
  for (layout::Index row = 0; row < rows; ++row) {
    entries.clear();
    op.append_row(row, entries);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const double weight = entries.weights[k];
      if (weight != std::floor(weight) || std::abs(weight) > std::numeric_limits<std::int32_t>::max())
        throw base::InternalError("a linear instruction on integers has a weight that is no whole number of 32 bits");
      if (weight == 0) continue;
      columns_.push_back(static_cast<std::uint32_t>(entries.columns[k]));
      weights_.push_back(static_cast<std::int32_t>(weight));
    }
    begin_.push_back(columns_.size());
  }
}

std::vector<WeightRows> weights_of(const Operation& operation) {
  std::vector<WeightRows> weights;
  if (const auto* linear = std::get_if<Linear>(&operation))
    for (const LinearTerm& term : linear->terms) weights.emplace_back(*term.op);
  return weights;
}

}  // namespace tacit::integers
