#include "program/slots/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "program/slots/trace.h"
#include "program/visit.h"

namespace tacit::slots {
namespace {

// Rotations of a linear map's operands lose about five bits to rounding, its weights, encoded at a prime, less than
// one: three bits of the weights' precision are better spent on the operand.
constexpr double kLinearOperandFactor = 8;
constexpr double kScaleTolerance = 0x1p-40;  // relative; doubles carry exact products to 2^-52

bool lands_on_parameter_scale(const Operation& operation) {
  return program::holds_any<Input, Linear, Polynomial, MultiplyPlain, Drop, Bootstrap, Lookup>(operation);
}

// Of every value, whether it is linear in the inputs.
std::vector<char> linear_in_inputs(const Program& program) {
  std::vector<char> linear(program.instructions.size(), 0);
  for (std::size_t id = 0; id < linear.size(); ++id) {
    const Operation& operation = program.instructions[id].operation;
    if (program::holds_any<Bootstrap, Lookup, Multiply, Polynomial>(operation)) continue;
    const std::vector<ValueId> reads = operands(operation);
    linear[id] = std::ranges::all_of(reads, [&](ValueId read) { return linear[read] != 0; });
  }
  return linear;
}

// Returns the first value that needs more levels than the parameters have, or none.
std::optional<base::Infeasible> lacking_levels(const Program& program, const params::CkksParameters& parameters) {
  const int message = params::highest_message_level(parameters.literal());
  const int fresh = params::highest_fresh_level(parameters.literal());
  const std::vector<char> linear = linear_in_inputs(program);
  for (std::size_t id = 0; id < linear.size(); ++id) {
    const Instruction& instruction = program.instructions[id];
    const bool bootstrap = bootstrap_of(instruction.operation) != nullptr;
    const int needed = bootstrap || linear[id] ? instruction.level : operand_level(instruction);
    const int reached = bootstrap ? highest_refreshed_level(instruction.operation) : linear[id] ? fresh : message;
    if (needed > reached)
      return base::Infeasible{.what = fmt::format("'{}' needs {} levels at {}", program.name, needed, instruction.node),
                              .bound = fmt::format("parameter set {} has {}{}", parameters.literal().name, reached,
                                                   bootstrap ? " after a bootstrap" : ""),
                              .way_out = "choose a deeper set",
                              .lack = base::Infeasible::Lack::levels};
  }
  return std::nullopt;
}

// The scale of an operand of a series from which its T_2, T_4, ... up to the largest power of two that it has end at
// the parameters' scale: s_k = sqrt(s_(k+1) q_k), which halves every distance on the way back.
double scale_before_squarings(const Polynomial& polynomial, int level, const params::CkksParameters& parameters) {
  int squarings = 0;
  while (2 << squarings <= polynomial.schedule.degree) ++squarings;
  double scale = parameters.scale();
  for (int k = squarings; k-- > 0;) scale = std::sqrt(scale * parameters.prime(level - k));
  return scale;
}

// For every value the first instruction of this kind that reads it, where no instruction of another kind does.
template <class Wanted>
std::vector<const Instruction*> only_readers(const Program& program) {
  std::vector<const Instruction*> readers(program.instructions.size(), nullptr);
  std::vector<char> other(program.instructions.size(), 0);
  for (const Instruction& instruction : program.instructions)
    for (const ValueId read : operands(instruction.operation)) {
      if (!std::holds_alternative<Wanted>(instruction.operation)) other[read] = 1;
      if (!readers[read]) readers[read] = &instruction;
    }
  for (std::size_t id = 0; id < readers.size(); ++id)
    if (other[id]) readers[id] = nullptr;
  return readers;
}

}  // namespace

void assign_levels(Program& program, const params::CkksParameters& parameters, int output_level) {
  if (const auto lacking = try_levels(program, parameters, output_level)) lacking->refuse();
}

std::optional<base::Infeasible> try_levels(Program& program, const params::CkksParameters& parameters,
                                           int output_level) {
  auto& instructions = program.instructions;
  for (Instruction& instruction : instructions)
    instruction.level = std::holds_alternative<Output>(instruction.operation) ? output_level : 0;
  for (std::size_t i = instructions.size(); i-- > 0;) {
    if (std::holds_alternative<Validate>(instructions[i].operation)) continue;  // looks at values where they are
    const int needed = operand_level(instructions[i]);
    for (const ValueId read : operands(instructions[i].operation))
      instructions[read].level = std::max(instructions[read].level, needed);
  }
  if (auto lacking = lacking_levels(program, parameters)) return lacking;

  const std::vector<const Instruction*> polynomial_readers = only_readers<Polynomial>(program);
  const std::vector<const Instruction*> linear_readers = only_readers<Linear>(program);
  for (Instruction& instruction : instructions) {
    const std::vector<ValueId> reads = operands(instruction.operation);
    if (const auto* validate = std::get_if<Validate>(&instruction.operation)) {
      instruction.level = instructions[validate->value].level;
      instruction.scale = instructions[validate->value].scale;
      continue;
    }
    if (lands_on_parameter_scale(instruction.operation)) {
      instruction.scale = parameters.scale();
      const auto id = static_cast<ValueId>(&instruction - instructions.data());
      const Instruction* reader = polynomial_readers[id];
      const bool free = program::holds_any<Linear, MultiplyPlain>(instruction.operation);
      const bool input = std::holds_alternative<Input>(instruction.operation);
      if (linear_readers[input ? traced(program, id) : id] && !bootstrap_of(instruction.operation)) {
        instruction.scale *= kLinearOperandFactor;
      } else if (free && reader) {
        const auto& polynomial = std::get<Polynomial>(reader->operation);
        instruction.scale = scale_before_squarings(polynomial, reader->level + polynomial.schedule.depth, parameters);
      }
    } else if (std::holds_alternative<Multiply>(instruction.operation)) {
      const auto dropped = parameters.prime(instruction.level + 1);
      instruction.scale = instructions[reads[0]].scale * instructions[reads[1]].scale / dropped;
    } else {
      instruction.scale = instructions[reads[0]].scale;
      for (const ValueId read : reads)
        if (std::abs(instructions[read].scale / instruction.scale - 1) > kScaleTolerance)
          throw base::InternalError(fmt::format("'{}': the operands of {} at {} differ in scale", program.name,
                                                mnemonic(instruction.operation), instruction.node));
    }
  }
  return std::nullopt;
}

int message_levels_needed(const Program& program) {
  const std::vector<char> linear = linear_in_inputs(program);
  int needed = 0;
  for (std::size_t id = 0; id < linear.size(); ++id) {
    const Instruction& instruction = program.instructions[id];
    if (const auto* bootstrap = bootstrap_of(instruction.operation))
      needed = std::max(needed, bootstrap->chain.output);
    else if (!linear[id])
      needed = std::max(needed, operand_level(instruction));
  }
  return needed;
}

}  // namespace tacit::slots
