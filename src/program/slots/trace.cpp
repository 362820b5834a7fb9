#include "program/slots/trace.h"

#include <algorithm>

namespace tacit::slots {
namespace {

/// The instruction that follows a value, if it rotates the value by one step and nothing else reads the value.
const RotateSum* sole_rotation(const Program& program, ValueId id) {
  if (id + 1 >= program.instructions.size()) return nullptr;
  const auto* sum = std::get_if<RotateSum>(&program.value(id + 1).operation);
  if (!sum || sum->input != id || sum->steps.size() != 1) return nullptr;
  for (ValueId other = id + 2; other < program.instructions.size(); ++other)
    if (std::ranges::count(operands(program.value(other).operation), id) > 0) return nullptr;
  return sum;
}

}  // namespace

int trace_after(const Program& program, ValueId input) {
  std::vector<std::int64_t> steps;
  for (ValueId id = input; const RotateSum* sum = sole_rotation(program, id); ++id) {
    const std::int64_t step = sum->steps[0];
    if (!layout::is_power_of_two(step) || step >= program.slots || (!steps.empty() && step != 2 * steps.back())) break;
    steps.push_back(step);
    if (2 * step == program.slots) return static_cast<int>(steps.size());
  }
  return 0;
}

ValueId traced(const Program& program, ValueId input) {
  return input + static_cast<ValueId>(trace_after(program, input));
}

bool arrives(const Program& program, ValueId id) {
  ValueId first = id;
  while (first > 0 && std::holds_alternative<RotateSum>(program.value(first).operation)) --first;
  return std::holds_alternative<Input>(program.value(first).operation) && id <= traced(program, first);
}

}  // namespace tacit::slots
