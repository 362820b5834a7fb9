#include "program/integers/weight_rows.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace tacit::integers {
namespace {

void require_whole(double weight) {
  if (weight != std::floor(weight) || std::abs(weight) > std::numeric_limits<std::int32_t>::max())
    throw base::InternalError("a linear instruction on integers has a weight that is no whole number of 32 bits");
}

}  // namespace

WeightRows::WeightRows(const layout::LinearOperator& op) {
  const layout::Index rows = layout::element_count(op.out_shape());
  begin_.push_back(0);
  layout::RowEntries entries;
  for (layout::Index row = 0; row < rows; ++row) {
    entries.clear();
    op.append_row(row, entries);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const double weight = entries.weights[k];
      require_whole(weight);
      if (weight == 0) continue;
      columns_.push_back(static_cast<std::uint32_t>(entries.columns[k]));
      weights_.push_back(static_cast<std::int32_t>(weight));
    }
    begin_.push_back(columns_.size());
  }
}

std::uint64_t count_weights(const Operation& operation, std::uint64_t most) {
  std::uint64_t count = 0;
  const auto* linear = std::get_if<Linear>(&operation);
  if (linear == nullptr) return count;
  layout::RowEntries entries;
  for (const LinearTerm& term : linear->terms)
    for (layout::Index row = 0; row < layout::element_count(term.op->out_shape()); ++row) {
      entries.clear();
      term.op->append_row(row, entries);
      for (const double weight : entries.weights) require_whole(weight);
      count += entries.size();
      if (count > most) throw base::InternalError(fmt::format("a linear instruction has more than {} weights", most));
    }
  return count;
}

std::vector<WeightRows> weights_of(const Operation& operation) {
  std::vector<WeightRows> weights;
  if (const auto* linear = std::get_if<Linear>(&operation))
    for (const LinearTerm& term : linear->terms) weights.emplace_back(*term.op);
  return weights;
}

}  // namespace tacit::integers
