#include "program/slots/clear_program.h"

#include <random>

#include "base/error.h"
#include "program/client_interface.h"
#include "program/slots/normal_errors.h"

namespace tacit::slots {

ArrayPtr clear_input(const Instruction& input, std::vector<double> tensor) {
  const auto& units = std::get<Input>(input.operation).units;
  return clear_array(pack_period(input.layout, program::in_units(units, std::move(tensor))), input.level);
}

ClearProgram::ClearProgram(const Program& program)
    : program_(program),
      evaluator_(std::make_unique<ClearEvaluator>(program.slots)),
      weights_(std::make_unique<KeptWeights>(program, *evaluator_)) {
  weights_->encode_all();
}

std::vector<std::vector<double>> ClearProgram::run(const std::vector<std::vector<double>>& inputs,
                                                   const Observer& observer, std::optional<Noise> noise) const {
  if (noise && noise->model.size() != program_.instructions.size())
    throw base::InternalError("a noise model of another program");
  std::vector<ArrayPtr> arrays;
  std::vector<const layout::Layout*> layouts;
  for (const Instruction& instruction : program_.instructions) {
    if (std::holds_alternative<Output>(instruction.operation)) layouts.push_back(&instruction.layout);
    if (std::holds_alternative<Input>(instruction.operation) && arrays.size() < inputs.size())
      arrays.push_back(clear_input(instruction, inputs[arrays.size()]));
  }
  std::mt19937_64 random(noise ? noise->seed : 0);
  const Watch watch = [&](ValueId id, ArrayPtr& value, std::span<const ArrayPtr> operands) {
    if (!value) return;
    if (noise && noise->model[id] != 0) {
      NormalErrors errors(random, noise->model[id]);
      SlotArray disturbed = slots_of(value);
      for (auto& slots : disturbed) errors.add_to(slots);
      value = clear_array(std::move(disturbed), value->level());
    }
    if (observer) observer(id, slots_of(value), operands);
  };
  std::vector<std::vector<double>> outputs;
  for (const ArrayPtr& array : execute(program_, *evaluator_, *weights_, std::move(arrays), watch))
    outputs.push_back(unpack_period(*layouts[outputs.size()], slots_of(array)));
  return outputs;
}

}  // namespace tacit::slots
