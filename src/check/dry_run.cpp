#include "check/dry_run.h"

#include <fmt/format.h>

#include <cmath>

#include "check/scope.h"
#include "runtime/decryption_check.h"

namespace tacit::check {
namespace {

using program::Instruction;
using program::Program;
using program::ValueId;

constexpr double kScaleTolerance = 0x1p-30;  // relative, as in an encrypted run
constexpr double kInterval = 1 + 1e-9;

/// The scale that an instruction gives its result; 0 where it lands on any scale that the program names.
double scale_made(const Program& program, const Instruction& instruction, const params::CkksParameters& parameters) {
  if (const auto* product = std::get_if<program::Multiply>(&instruction.operation))
    return program.value(product->left).scale * program.value(product->right).scale /
           static_cast<double>(parameters.q()[static_cast<std::size_t>(instruction.level) + 1]);
  if (std::holds_alternative<program::Bootstrap>(instruction.operation)) return parameters.scale();
  const bool keeps =
      program::depth(instruction.operation) == 0 && !std::holds_alternative<program::Input>(instruction.operation);
  return keeps ? program.value(program::operands(instruction.operation).front()).scale : 0;
}

std::string level_problem(const Program& program, const Instruction& instruction,
                          const params::CkksParameters& parameters) {
  const int before = program::operand_level(instruction);
  const auto* bootstrap = std::get_if<program::Bootstrap>(&instruction.operation);
  if (bootstrap && instruction.level > bootstrap->schedule.output_level)
    return fmt::format("a bootstrap ends at level {} and the program says {}", bootstrap->schedule.output_level,
                       instruction.level);
  if (instruction.level < 0 || before > parameters.max_level())
    return fmt::format("it runs from level {} to {}, and the parameters have {}", before, instruction.level,
                       parameters.max_level());
  for (const ValueId read : program::operands(instruction.operation))
    if (program.value(read).level < before)
      return fmt::format("it reads %{} at level {} and needs level {}", read, program.value(read).level, before);
  return {};
}

std::string scale_problem(const Program& program, const Instruction& instruction,
                          const params::CkksParameters& parameters) {
  if (!(instruction.scale >= 1) || !std::isfinite(instruction.scale)) return "its scale is no number of at least 1";
  const double made = scale_made(program, instruction, parameters);
  if (made > 0 && !(std::abs(instruction.scale / made - 1) <= kScaleTolerance))
    return fmt::format("it makes scale 2^{:.3f} and the program says 2^{:.3f}", std::log2(made),
                       std::log2(instruction.scale));
  const bool same_scale = std::holds_alternative<program::Add>(instruction.operation) ||
                          std::holds_alternative<program::Subtract>(instruction.operation) ||
                          std::holds_alternative<program::Bootstrap>(instruction.operation);
  for (const ValueId read : program::operands(instruction.operation))
    if (same_scale && !(std::abs(program.value(read).scale / instruction.scale - 1) <= kScaleTolerance))
      return fmt::format("it reads %{} at another scale, 2^{:.3f}", read, std::log2(program.value(read).scale));
  return {};
}

}  // namespace

std::vector<DryValue> dry_run(const Program& program, const params::CkksParameters& parameters) {
  std::vector<const char*> reader(program.instructions.size(), nullptr);  // on [-1, 1]
  for (const Instruction& instruction : program.instructions)
    for (const ValueId read : read_on_unit_interval(instruction.operation))
      reader[read] = program::mnemonic(instruction.operation);
  std::vector<DryValue> values;
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& instruction = program.value(id);
    if (std::holds_alternative<program::Validate>(instruction.operation)) continue;
    DryValue value{id,
                   instruction.node,
                   instruction.source,
                   program::mnemonic(instruction.operation),
                   instruction.level,
                   instruction.scale,
                   instruction.layout.ciphertexts(),
                   instruction.bound,
                   0,
                   {}};
    value.problem = level_problem(program, instruction, parameters);
    if (value.problem.empty()) value.problem = scale_problem(program, instruction, parameters);
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
