#include "program/slots/landing_rules.h"

#include <fmt/format.h>

#include <cmath>

#include "program/visit.h"

namespace tacit::slots {
namespace {

/// The scale that an instruction gives its result; 0 where it lands on any scale that the program names.
double scale_made(const Program& program, const Instruction& instruction, const params::CkksParameters& parameters) {
  if (const auto* product = std::get_if<Multiply>(&instruction.operation))
    return program.value(product->left).scale * program.value(product->right).scale /
           parameters.prime(instruction.level + 1);
  if (bootstrap_of(instruction.operation)) return parameters.scale();
  const bool keeps = depth(instruction.operation) == 0 && !std::holds_alternative<Input>(instruction.operation);
  return keeps ? program.value(operands(instruction.operation).front()).scale : 0;
}

}  // namespace

bool same_scale(double a, double b) { return std::abs(a / b - 1) <= 0x1p-30; }

std::string level_problem(const Program& program, ValueId id, const params::CkksParameters& parameters) {
  const Instruction& instruction = program.value(id);
  const int before = operand_level(instruction);
  if (bootstrap_of(instruction.operation) && instruction.level > highest_refreshed_level(instruction.operation))
    return fmt::format("a {} ends at level {} and the program says {}", mnemonic(instruction.operation),
                       highest_refreshed_level(instruction.operation), instruction.level);
  if (instruction.level < 0 || before > parameters.max_level())
    return fmt::format("it runs from level {} to {}, and the parameters have {}", before, instruction.level,
                       parameters.max_level());
  for (const ValueId read : operands(instruction.operation))
    if (program.value(read).level < before)
      return fmt::format("it reads %{} at level {} and needs level {}", read, program.value(read).level, before);
  return {};
}

std::string scale_problem(const Program& program, ValueId id, const params::CkksParameters& parameters) {
  const Instruction& instruction = program.value(id);
  if (!(instruction.scale >= 1) || !std::isfinite(instruction.scale)) return "its scale is no number of at least 1";
  const double made = scale_made(program, instruction, parameters);
  if (made > 0 && !same_scale(instruction.scale, made))
    return fmt::format("it makes scale 2^{:.3f} and the program says 2^{:.3f}", std::log2(made),
                       std::log2(instruction.scale));
  const bool alike = program::holds_any<Add, Subtract, Gather, Bootstrap, Lookup>(instruction.operation);
  for (const ValueId read : operands(instruction.operation))
    if (alike && !same_scale(program.value(read).scale, instruction.scale))
      return fmt::format("it reads %{} at another scale, 2^{:.3f}", read, std::log2(program.value(read).scale));
  return {};
}

}  // namespace tacit::slots
