#include "check/slots/copies.h"

#include <algorithm>
#include <cmath>

#include "program/slots/noise_model.h"

namespace tacit::check {

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
      if (term.input == operand) {
        double most = 0;
        for (const double energy : slots::row_energies(*term.map.op)) most = std::max(most, energy);
        variance += most * disagreement * disagreement;
      }
  return variance;
}

}  // namespace tacit::check
