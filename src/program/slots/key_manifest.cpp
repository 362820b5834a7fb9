#include "program/slots/key_manifest.h"

#include <algorithm>

#include "program/visit.h"

namespace tacit::slots {

void need_rotation(params::KeyManifest& keys, std::int64_t steps, int level, layout::Index slots) {
  const std::int64_t left = ((steps % slots) + slots) % slots;
  if (left != 0) params::need_rotation(keys.rotations, left, level);
}

void need_product(params::KeyManifest& keys, int level) {
  keys.relinearise_level = std::max(keys.relinearise_level, level);
}

params::KeyManifest key_manifest(const Program& program) {
  params::KeyManifest keys;
  const auto rotate = [&](std::int64_t steps, int level) { need_rotation(keys, steps, level, program.slots); };
  for (const Instruction& instruction : program.instructions) {
    const int before = operand_level(instruction);
    if (const auto* bootstrap = bootstrap_of(instruction.operation)) keys.merge(params::key_manifest(*bootstrap));
    if (program::holds_any<Multiply, Polynomial>(instruction.operation)) need_product(keys, before);
    if (const auto* one = std::get_if<Rotate>(&instruction.operation)) rotate(one->steps, before);
    if (const auto* sum = std::get_if<RotateSum>(&instruction.operation))
      for (const std::int64_t steps : sum->steps) rotate(steps, before);
    if (const auto* linear = std::get_if<Linear>(&instruction.operation))
      for (const LinearTerm& term : linear->terms) {
        for (const params::DiagonalStep& step : term.schedule.steps) {
          rotate(step.baby, before);
          rotate(step.giant, before);
        }
        for (const std::int64_t fold : term.schedule.folds) rotate(fold, instruction.level);
      }
  }
  return keys;
}

}  // namespace tacit::slots
