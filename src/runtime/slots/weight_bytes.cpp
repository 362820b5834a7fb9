#include "runtime/slots/weight_bytes.h"

#include <algorithm>

#include "layout/diagonals.h"
#include "program/slots/execute.h"
#include "runtime/slots/encoded_map.h"

namespace tacit::runtime {

using program::ValueId;
using scheme::ckks::DiagonalMatrix;

// slots_of(term): how many numbers its diagonals hold.
template <class Slots>
std::uint64_t WeightBytes::bytes(ValueId id, const Slots& slots_of) const {
  const slots::Instruction& instruction = program_.value(id);
  if (!slots::has_weights(instruction.operation)) return 0;
  const std::uint64_t row = context_.parameters().n() * sizeof(std::uint64_t);
  const auto plain = [&](const layout::Layout& layout) {
    return static_cast<std::uint64_t>(layout.ciphertexts()) * row;  // compact
  };
  if (const auto* multiply = std::get_if<slots::MultiplyPlain>(&instruction.operation))
    return plain(program_.value(multiply->input).layout);
  const auto* linear = std::get_if<slots::Linear>(&instruction.operation);
  if (linear == nullptr) return plain(instruction.layout);
  std::uint64_t sum = linear->bias ? plain(instruction.layout) : 0;
  const std::uint64_t rows = context_.chain().extended_rows(instruction.level + 1);
  // A number a slot and row: N words have N slots, or N / 2 of which the mirror image is not kept.
  const std::uint64_t word = DiagonalMatrix::mirrors(context_.parameters()) ? row / 2 : row;
  for (const slots::LinearTerm& term : linear->terms)
    sum += slots_of(term) * rows * word / context_.parameters().slots();
  return sum;
}

std::uint64_t WeightBytes::most(ValueId id) const {
  return bytes(id, [](const slots::LinearTerm& term) {
    return static_cast<std::uint64_t>(term.map.in.ciphertexts()) *
           static_cast<std::uint64_t>(term.map.out.ciphertexts()) * term.schedule.steps.size() *
           static_cast<std::uint64_t>(std::max(term.map.in.period(), term.map.out.period()));
  });
}

std::uint64_t WeightBytes::counted(ValueId id) const {
  return bytes(id, [](const slots::LinearTerm& term) {
    const layout::DiagonalCount count = term.diagonals ? *term.diagonals : layout::diagonal_set(term.map).count;
    return static_cast<std::uint64_t>(count.weights(term.map.in.slots()));
  });
}

std::uint64_t WeightBytes::within(ValueId id, std::uint64_t room) const {
  const std::uint64_t at_most = most(id);
  return at_most <= room ? at_most : counted(id);
}

std::uint64_t WeightBytes::plaintexts(ValueId id) const {
  return bytes(id, [](const slots::LinearTerm&) { return std::uint64_t{0}; });
}

WeightBytes::Largest WeightBytes::largest(std::uint64_t room) const {
  Largest result;
  for (ValueId id = 0; id < program_.instructions.size(); ++id)
    if (const std::uint64_t bytes = within(id, room); bytes > result.bytes) result = {id, bytes};
  return result;
}

}  // namespace tacit::runtime
