#include "program/key_manifest.h"

#include <algorithm>

namespace tacit::program {

params::KeyManifest key_manifest(const Program& program) {
  params::KeyManifest keys;
  const auto rotation = [&](std::int64_t steps, int level) {
    const std::int64_t left = ((steps % program.slots) + program.slots) % program.slots;
    if (left != 0) params::need_rotation(keys.rotations, left, level);
  };
  for (const Instruction& instruction : program.instructions) {
    const int before = operand_level(instruction);
    if (const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation))
      keys.merge(params::key_manifest(bootstrap->schedule));
    if (std::holds_alternative<Multiply>(instruction.operation) ||
        std::holds_alternative<Polynomial>(instruction.operation))
      keys.relinearise_level = std::max(keys.relinearise_level, before);
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
  return keys;
}

}  // namespace tacit::program
