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
    const int before = instruction.level + depth(instruction.operation);
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
