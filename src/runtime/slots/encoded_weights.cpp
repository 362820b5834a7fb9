#include "runtime/slots/encoded_weights.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/process_memory.h"
#include "runtime/slots/encoded_map.h"

namespace tacit::runtime {

using program::ValueId;
using slots::Instruction;
using slots::InstructionWeights;

namespace {

/// What the system's limit leaves for weights beside `coming` bytes that are planned and not in memory yet.
std::uint64_t room_to_keep(std::uint64_t coming) {
  constexpr std::uint64_t kShare = 8;  // of what is left, for gaps in heaps to come
  const std::optional<std::uint64_t> free = base::bytes_below_data_limit();
  if (!free) return std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t spoken_for = coming + *free / kShare;
  return *free - std::min(*free, spoken_for);
}

}  // namespace

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

void EncodedWeights::encode(const base::MemoryBudget& budget, std::uint64_t taken, std::uint64_t present,
                            base::Progress& progress) {
  const std::uint64_t room = budget.available() - std::min(taken, budget.available());
  const std::uint64_t kept = std::min(room, room_to_keep(taken - std::min(taken, present)));
  choose(budget, taken, room, kept);
  progress.begin("encode weights", program_.instructions.size());
  for (ValueId id = 0; id < program_.instructions.size(); ++id) {
    progress.advance();
    if (!held_[id].chosen) continue;
    const Instruction& instruction = program_.instructions[id];
    try {
      held_[id].weights = encoded(id);
    } catch (const base::InputError& error) {
      throw base::InputError(instruction.source + ": " + error.what());
    } catch (const base::InternalError& error) {  // in a run, slots::carry_out names the instruction
      throw base::InternalError(instruction.source + ": " + error.what());
    }
    std::uint64_t bytes = sizes_.plaintexts(id);
    for (const slots::EncodedMapPtr& map : held_[id].weights->maps) bytes += static_cast<std::uint64_t>(map->bytes());
    // Factors that differ from pixel to pixel can make weights repeat less than was counted without them.
    if (bytes > room) refuse(budget, taken, id, bytes);
    total_bytes_ += bytes - held_[id].bytes;
    held_bytes_ += bytes - held_[id].bytes;
    held_[id].bytes = bytes;
    let_go(kept);
  }
  progress.end();
}

// What is not kept is not encoded here either: what it leaves in heaps would serve nothing else. Diagonals are counted
// only if what is known of their number at once does not fit.
void EncodedWeights::choose(const base::MemoryBudget& budget, std::uint64_t taken, std::uint64_t room,
                            std::uint64_t kept) {
  std::vector<ValueId> with_weights;
  for (ValueId id = 0; id < program_.instructions.size(); ++id)
    if (slots::has_weights(program_.instructions[id].operation)) with_weights.push_back(id);
  const auto bytes_of_all = [&](const auto& bytes) {
    held_bytes_ = 0;
    for (const ValueId id : with_weights) {
      held_[id] = {nullptr, bytes(id), true};
      held_bytes_ += held_[id].bytes;
    }
    return held_bytes_;
  };
  if (bytes_of_all([&](ValueId id) { return sizes_.most(id); }) > kept)
    bytes_of_all([&](ValueId id) { return sizes_.counted(id); });
  for (const ValueId id : with_weights)
    if (held_[id].bytes > room) refuse(budget, taken, id, held_[id].bytes);
  total_bytes_ = held_bytes_;
  let_go(kept);
}

// Room for the largest that is encoded at every use. Encoding takes time in proportion to bytes, so the smallest go
// first: they overshoot least.
void EncodedWeights::let_go(std::uint64_t kept) {
  while (held_bytes_ > kept - std::min(kept, largest_unheld_bytes_)) {
    const auto smallest = std::ranges::min_element(
        held_, [](const Held& a, const Held& b) { return a.chosen && (!b.chosen || a.bytes < b.bytes); });
    held_bytes_ -= smallest->bytes;
    largest_unheld_bytes_ = std::max(largest_unheld_bytes_, smallest->bytes);
    *smallest = {nullptr, smallest->bytes, false};
  }
}

std::shared_ptr<const InstructionWeights> EncodedWeights::of(ValueId id) {
  return held_[id].weights ? held_[id].weights : encoded(id);
}

}  // namespace tacit::runtime
