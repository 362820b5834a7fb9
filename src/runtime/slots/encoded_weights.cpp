#include "runtime/slots/encoded_weights.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "runtime/slots/encoded_map.h"

namespace tacit::runtime {

using program::ValueId;
using slots::Instruction;
using slots::InstructionWeights;

EncodedWeights::EncodedWeights(const slots::Program& program, scheme::ckks::ContextPtr context,
                               slots::Evaluator& evaluator)
    : program_(program),
      context_(std::move(context)),
      evaluator_(evaluator),
      sizes_(program_, *context_),
      held_(program.instructions.size()) {}

std::shared_ptr<const InstructionWeights> EncodedWeights::encoded(ValueId id) const {
  return std::make_shared<const InstructionWeights>(slots::encode_weights(program_, id, evaluator_));
}

void EncodedWeights::refuse(const base::MemoryBudget& budget, std::uint64_t taken, ValueId id,
                            std::uint64_t bytes) const {
  // What the largest needs, so that the budget which the refusal names is enough for all.
  WeightBytes::Largest needed{id, bytes};
  if (const WeightBytes::Largest largest = sizes_.largest(bytes); largest.bytes > bytes) needed = largest;
  throw base::InputError(budget.shortfall(program_.value(needed.id).source + ": its weights, keys and ciphertexts need",
                                          static_cast<double>(taken + needed.bytes)));
}

void EncodedWeights::encode(const base::MemoryBudget& budget, std::uint64_t taken, base::Progress& progress) {
  const std::uint64_t room = budget.available() - std::min(taken, budget.available());
  progress.begin("encode weights", program_.instructions.size());
  for (ValueId id = 0; id < program_.instructions.size(); ++id) {
    progress.advance();
    const Instruction& instruction = program_.instructions[id];
    if (!slots::has_weights(instruction.operation)) continue;
    const std::uint64_t left = room - held_bytes_, counted = sizes_.within(id, left);
    if (counted > room) refuse(budget, taken, id, counted);
    Held held{nullptr, counted};
    if (counted <= left) {
      try {
        held.weights = encoded(id);
      } catch (const base::InputError& error) {
        throw base::InputError(instruction.source + ": " + error.what());
      } catch (const base::InternalError& error) {  // in a run, slots::carry_out names the instruction
        throw base::InternalError(instruction.source + ": " + error.what());
      }
      held.bytes = sizes_.plaintexts(id);
      for (const slots::EncodedMapPtr& map : held.weights->maps) held.bytes += static_cast<std::uint64_t>(map->bytes());
      // Factors that differ from pixel to pixel can make weights repeat less than was counted without them.
      if (held.bytes > room) refuse(budget, taken, id, held.bytes);
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
