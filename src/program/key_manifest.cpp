#include "program/key_needs.h"

#include <algorithm>

namespace tacit::program {

KeyNeeds key_needs(const Program& program) {
  KeyNeeds needs;
  const auto rotation = [&](std::int64_t steps, int level) {
    const std::int64_t left = ((steps % program.slots) + program.slots) % program.slots;
    if (left == 0) return;
    int& highest = needs.rotations.try_emplace(left, -1).first->second;
    highest = std::max(highest, level);
  };
  for (const Instruction& instruction : program.instructions) {
    const int before = operand_level(instruction);
    if (const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation)) {
      const params::BootstrapKeyNeeds own = params::key_needs(bootstrap->schedule);
      needs.relinearise_level = std::max(needs.relinearise_level, own.relinearise_level);
      needs.conjugate_level = std::max(needs.conjugate_level, own.conjugate_level);
      needs.raise_level = std::max(needs.raise_level, own.raise_level);
      for (const auto& [steps, level] : own.rotations) rotation(steps, level);
      for (const auto& [steps, level] : own.low_rotations) {
        int& highest = needs.low_rotations.try_emplace(steps, -1).first->second;
        highest = std::max(highest, level);
      }
    }
    if (std::holds_alternative<Multiply>(instruction.operation) ||
        std::holds_alternative<Polynomial>(instruction.operation))
      needs.relinearise_level = std::max(needs.relinearise_level, before);
    if (const auto* rotate = std::get_if<Rotate>(&instruction.operation)) rotation(rotate->steps, instruction.level);
    if (const auto* linear = std::get_if<Linear>(&instruction.operation))
      for (const LinearTerm& term : linear->terms) {
        for (const params::DiagonalStep& step : term.schedule.steps) {
          rotation(step.baby, before);
          rotation(step.giant, before);
        }
        for (const std::int64_t fold : term.schedule.folds) rotation(fold, instruction.level);
      }
  }
  return needs;
}

}  // namespace tacit::program
