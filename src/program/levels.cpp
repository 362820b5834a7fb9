#include "program/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace tacit::program {
namespace {

constexpr double kScaleTolerance = 0x1p-40;  // relative; doubles carry exact products to 2^-52

bool lands_on_parameter_scale(const Operation& operation) {
  return std::holds_alternative<Input>(operation) || std::holds_alternative<Linear>(operation) ||
         std::holds_alternative<Polynomial>(operation) || std::holds_alternative<MultiplyPlain>(operation);
}

}  // namespace

void assign_levels(Program& program, const params::CkksParameters& parameters, int output_level) {
  auto& instructions = program.instructions;
  for (Instruction& instruction : instructions)
    instruction.level = std::holds_alternative<Output>(instruction.operation) ? output_level : 0;
  for (std::size_t i = instructions.size(); i-- > 0;) {
    const int needed = instructions[i].level + depth(instructions[i].operation);
    for (const ValueId read : operands(instructions[i].operation))
      instructions[read].level = std::max(instructions[read].level, needed);
  }
  for (const Instruction& instruction : instructions)
    if (instruction.level > parameters.max_level())
      throw base::InputError(fmt::format("'{}' needs {} levels at {}, and parameter set {} has {}: choose a deeper set",
                                         program.name, instruction.level, instruction.node, parameters.literal().name,
                                         parameters.max_level()));

  for (Instruction& instruction : instructions) {
    const std::vector<ValueId> reads = operands(instruction.operation);
    if (lands_on_parameter_scale(instruction.operation)) {
      instruction.scale = parameters.scale();
    } else if (std::holds_alternative<Multiply>(instruction.operation)) {
      const auto dropped = static_cast<double>(parameters.q()[static_cast<std::size_t>(instruction.level) + 1]);
      instruction.scale = instructions[reads[0]].scale * instructions[reads[1]].scale / dropped;
    } else {
      instruction.scale = instructions[reads[0]].scale;
      for (const ValueId read : reads)
        if (std::abs(instructions[read].scale / instruction.scale - 1) > kScaleTolerance)
          throw base::InternalError(fmt::format("'{}': the operands of {} at {} differ in scale", program.name,
                                                mnemonic(instruction.operation), instruction.node));
    }
  }
}

}  // namespace tacit::program
