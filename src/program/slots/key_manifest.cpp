#include "program/slots/key_manifest.h"

#include <algorithm>

#include "program/visit.h"

namespace tacit::slots {

void need_rotation(params::KeyManifest& keys, std::int64_t steps, int level, layout::Index slots) {
  const std::int64_t left = ((steps % slots) + slots) % slots;
  if (left != 0) params::need_rotation(keys.rotations, left, level);
}

void need_linear(params::KeyManifest& keys, const params::LinearSchedule& schedule, int level, layout::Index slots) {
  for (const params::DiagonalStep& step : schedule.steps) {
    need_rotation(keys, step.baby, level, slots);
    need_rotation(keys, step.giant, level, slots);
  }
  for (const std::int64_t fold : schedule.folds) need_rotation(keys, fold, level - 1, slots);
}

void need_product(params::KeyManifest& keys, int level) {
  keys.relinearise_level = std::max(keys.relinearise_level, level);
}

params::KeyManifest key_manifest(const Program& program) {
  params::KeyManifest keys;
  for (const Instruction& instruction : program.instructions) {
    const int before = operand_level(instruction);
    if (const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation))
      keys.merge(params::key_manifest(bootstrap->schedule));
    if (program::holds_any<Multiply, Polynomial>(instruction.operation)) need_product(keys, before);
    if (const auto* rotate = std::get_if<Rotate>(&instruction.operation))
      need_rotation(keys, rotate->steps, before, program.slots);
    if (const auto* sum = std::get_if<RotateSum>(&instruction.operation))
      for (const std::int64_t steps : sum->steps) need_rotation(keys, steps, before, program.slots);
    if (const auto* linear = std::get_if<Linear>(&instruction.operation))
      for (const LinearTerm& term : linear->terms) need_linear(keys, term.schedule, before, program.slots);
  }
  return keys;
}

}  // namespace tacit::slots
