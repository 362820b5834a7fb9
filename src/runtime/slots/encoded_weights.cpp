#include "runtime/slots/encoded_weights.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "layout/diagonals.h"
#include "runtime/slots/encoded_map.h"

namespace tacit::runtime {

using program::ValueId;
using scheme::ckks::DiagonalMatrix;
using slots::Instruction;
using slots::InstructionWeights;

EncodedWeights::EncodedWeights(const slots::Program& program, scheme::ckks::ContextPtr context,
                               slots::Evaluator& evaluator)
    : program_(program), context_(std::move(context)), evaluator_(evaluator), held_(program.instructions.size()) {}

template <class Slots>
std::uint64_t EncodedWeights::bytes(ValueId id, const Slots& slots_of) const {
  const Instruction& instruction = program_.value(id);
  const scheme::ckks::Context& context = *context_;
  const std::uint64_t row = context.parameters().n() * sizeof(std::uint64_t);
  const auto plaintexts = [&](const layout::Layout& layout) {
    return static_cast<std::uint64_t>(layout.ciphertexts()) * row;  // compact
  };
  if (const auto* multiply = std::get_if<slots::MultiplyPlain>(&instruction.operation))
    return plaintexts(program_.value(multiply->input).layout);
  const auto* linear = std::get_if<slots::Linear>(&instruction.operation);
  if (linear == nullptr) return plaintexts(instruction.layout);
  std::uint64_t sum = linear->bias ? plaintexts(instruction.layout) : 0;
  const std::uint64_t rows = context.chain().extended_rows(instruction.level + 1);
  // A number a slot and row: N words have N slots, or N / 2 of which the mirror image is not kept.
  const std::uint64_t word = DiagonalMatrix::mirrors(context.parameters()) ? row / 2 : row;
  for (const slots::LinearTerm& term : linear->terms)
    sum += slots_of(term) * rows * word / context.parameters().slots();
  return sum;
}

std::uint64_t EncodedWeights::most_bytes(ValueId id) const {
  return bytes(id, [](const slots::LinearTerm& term) {
    return static_cast<std::uint64_t>(term.map.in.ciphertexts()) *
           static_cast<std::uint64_t>(term.map.out.ciphertexts()) * term.schedule.steps.size() *
           static_cast<std::uint64_t>(std::max(term.map.in.period(), term.map.out.period()));
  });
}

std::uint64_t EncodedWeights::counted_bytes(ValueId id) const {
  return bytes(id, [](const slots::LinearTerm& term) {
    const layout::DiagonalCount count = term.diagonals ? *term.diagonals : layout::diagonal_set(term.map).count;
    return static_cast<std::uint64_t>(count.weights(term.map.in.slots()));
  });
}

std::shared_ptr<const InstructionWeights> EncodedWeights::encoded(ValueId id) const {
  return std::make_shared<const InstructionWeights>(slots::encode_weights(program_, id, evaluator_));
}

void EncodedWeights::encode(const base::MemoryBudget& budget, std::uint64_t taken, base::Progress& progress) {
  const std::uint64_t room = budget.available() - std::min(taken, budget.available());
  progress.begin("encode weights", program_.instructions.size());
  for (ValueId id = 0; id < program_.instructions.size(); ++id) {
    progress.advance();
    const Instruction& instruction = program_.instructions[id];
    if (!slots::has_weights(instruction.operation)) continue;
    const std::uint64_t left = room - held_bytes_, most = most_bytes(id);
    const std::uint64_t counted = most <= left ? most : counted_bytes(id);
    if (counted > room)
      throw base::InputError(budget.shortfall(instruction.source + ": its weights, keys and ciphertexts need",
                                              static_cast<double>(taken + counted)));
    Held held{nullptr, counted};
    if (counted <= left) {
      try {
        held.weights = encoded(id);
      } catch (const base::InputError& error) {
        throw base::InputError(instruction.source + ": " + error.what());
      } catch (const base::InternalError& error) {  // in a run, slots::carry_out names the instruction
        throw base::InternalError(instruction.source + ": " + error.what());
      }
      held.bytes = bytes(id, [](const slots::LinearTerm&) { return std::uint64_t{0}; });
      for (const slots::EncodedMapPtr& map : held.weights->maps) held.bytes += static_cast<std::uint64_t>(map->bytes());
      // Factors that differ from pixel to pixel can make weights repeat less than was counted without them.
      if (held.bytes > room)
        throw base::InputError(budget.shortfall(instruction.source + ": its weights, keys and ciphertexts need",
                                                static_cast<double>(taken + held.bytes)));
    }
    total_bytes_ += held.bytes;
    if (held.weights) {
      held_bytes_ += held.bytes;
      held_[id] = std::move(held);
    } else {
      largest_unheld_bytes_ = std::max(largest_unheld_bytes_, held.bytes);
    }
    // Room for the largest that is encoded at every use. Encoding takes time in proportion to bytes, so the smallest go
    // first: they overshoot least.
    while (held_bytes_ > room - largest_unheld_bytes_) {
      const auto smallest = std::min_element(held_.begin(), held_.end(), [](const Held& a, const Held& b) {
        return a.weights && (!b.weights || a.bytes < b.bytes);
      });
      held_bytes_ -= smallest->bytes;
      largest_unheld_bytes_ = std::max(largest_unheld_bytes_, smallest->bytes);
      smallest->weights.reset();
    }
  }
  progress.end();
}

std::shared_ptr<const InstructionWeights> EncodedWeights::of(ValueId id) {
  return held_[id].weights ? held_[id].weights : encoded(id);
}

}  // namespace tacit::runtime
