#include "check/slots/dry_run.h"

#include <fmt/format.h>

#include "check/slots/scope.h"
#include "program/slots/landing_rules.h"
#include "runtime/slots/decryption_check.h"

namespace tacit::check {
namespace {

using program::ValueId;
using slots::Instruction;
using slots::Program;

constexpr double kInterval = 1 + 1e-9;

}  // namespace

std::vector<DryValue> dry_run(const Program& program, const params::CkksLiteral& literal) {
  const params::CkksParameters parameters = params::CkksParameters::check(literal);
  std::vector<const char*> reader(program.instructions.size(), nullptr);  // on [-1, 1]
  for (const Instruction& instruction : program.instructions)
    for (const ValueId read : read_on_unit_interval(instruction.operation))
      reader[read] = slots::mnemonic(instruction.operation);
  std::vector<DryValue> values;
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& instruction = program.value(id);
    if (std::holds_alternative<program::Validate>(instruction.operation)) continue;
    DryValue value{id,
                   instruction.node,
                   instruction.source,
                   slots::mnemonic(instruction.operation),
                   instruction.level,
                   instruction.scale,
                   instruction.layout.ciphertexts(),
                   instruction.bound};
    value.problem = slots::level_problem(program, id, parameters);
    if (value.problem.empty()) value.problem = slots::scale_problem(program, id, parameters);
    if (value.problem.empty()) {
      const double largest = runtime::largest_value(parameters, instruction.level, instruction.scale);
      value.range_share = instruction.bound / (reader[id] ? 1.0 : largest);
      if (instruction.bound > largest) {
        value.problem = fmt::format("it reaches {:.4g}, and its modulus carries {:.4g}", instruction.bound, largest);
      } else if (reader[id] && instruction.bound > kInterval) {
        value.problem = fmt::format("it reaches {:.4g}, and a {} reads it on [-1, 1]", instruction.bound, reader[id]);
      }
    }
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace tacit::check
