#include "check/slots/copies.h"

#include <algorithm>
#include <cmath>

namespace tacit::check {
namespace {

/// Largest sum of squared weights among some rows: what a map multiplies the variance of independent errors by.
double row_energy(const layout::LinearOperator& op) {
  constexpr layout::Index kRows = 64;
  const layout::Index rows = layout::element_count(op.out_shape()), step = std::max<layout::Index>(1, rows / kRows);
  double most = 0;
  layout::RowEntries entries;
  for (layout::Index row = 0; row < rows; row += step) {
    double sum = 0;
    entries.clear();
    op.append_row(row, entries);
    entries.merge();
    for (const double weight : entries.weights) sum += weight * weight;
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace

double disagreement(const layout::Layout& layout, const slots::SlotArray& slots) {
  const std::vector<layout::Index> copies = layout.copies();
  const layout::Index elements = layout::element_count(layout.shape());
  double sum = 0;
  for (layout::Index e = 0; e < elements; ++e) {
    const layout::Position at = layout.position_of(e);
    const std::vector<double>& one = slots[static_cast<std::size_t>(at.ciphertext)];
    for (const layout::Index copy : copies) {
      const double difference = one[static_cast<std::size_t>(at.slot + copy)] - one[static_cast<std::size_t>(at.slot)];
      sum += difference * difference;
    }
  }
  const auto others = static_cast<double>(elements) * static_cast<double>(copies.size() - 1);
  return others > 0 ? std::sqrt(sum / others) : 0;
}

double variance_of_copies(const slots::Linear& linear, program::ValueId operand, double disagreement) {
  double variance = 0;
  if (disagreement > 0)
    for (const slots::LinearTerm& term : linear.terms)
      if (term.input == operand) variance += row_energy(*term.map.op) * disagreement * disagreement;
  return variance;
}

}  // namespace tacit::check
