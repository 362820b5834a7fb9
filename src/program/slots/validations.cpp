#include "program/slots/validations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "program/visit.h"

namespace tacit::slots {
namespace {

void rename(Operation& operation, const std::vector<ValueId>& names) {
  rename_operands(operation, [&](ValueId id) { return names[id]; });
}

bool fits(const Meaning& meaning, const Instruction& value) {
  const auto elements = static_cast<std::size_t>(layout::element_count(value.layout.shape()));
  return !meaning.tensor.empty() && (meaning.factors.size() == 1 || meaning.factors.size() == elements) &&
         std::all_of(meaning.factors.begin(), meaning.factors.end(),
                     [](double factor) { return factor != 0 && std::isfinite(factor); }) &&
         std::isfinite(meaning.offset);
}

Instruction instruction_of(const Program& program, Validate validate) {
  const Instruction& value = program.value(validate.value);
  return {std::move(validate), value.layout, value.node, value.source, value.bound, value.level, value.scale};
}

}  // namespace

layout::Index most_length(const Instruction& value, Detail detail) {
  return detail == Detail::instruction ? value.layout.slots() * value.layout.ciphertexts()
                                       : layout::element_count(value.layout.shape());
}

std::string why_not(const Program& program, ValueId at, const Validate& validate) {
  const auto is_value = [&](ValueId id) {
    return id < at && id < program.instructions.size() &&
           !program::holds_any<Validate, Output>(program.instructions[id].operation);
  };
  if (!is_value(validate.value))
    return fmt::format("%{} is no value that can be validated here; name one that an instruction before makes",
                       validate.value);
  const Instruction& value = program.value(validate.value);
  for (const ValueId argument : validate.arguments)
    if (!is_value(argument) || argument >= validate.value)
      return fmt::format("the message of %{} cannot read %{}, which is not defined before it", validate.value,
                         argument);
  if (validate.arguments.empty())
    return fmt::format("%{} ({}) reads no value, so that there is no operator to validate", validate.value,
                       mnemonic(value.operation));
  if (const layout::Index most = most_length(value, validate.detail); validate.length < 1 || validate.length > most)
    return fmt::format("a validation of %{} over {} elements does not fit; it has {}", validate.value, validate.length,
                       most);
  if (!(validate.epsilon >= program::kLowestEpsilon && validate.epsilon <= program::kHighestEpsilon))
    return fmt::format("epsilon {} is no exponent of a tolerance; give a number between {} and {}", validate.epsilon,
                       program::kLowestEpsilon, program::kHighestEpsilon);
  if (validate.detail != Detail::network) {
    if (validate.arguments != operands(value.operation))
      return fmt::format("the message of %{} must read what its instruction reads", validate.value);
    return {};
  }
  if (!fits(validate.meaning, value) || validate.argument_meanings.size() != validate.arguments.size())
    return fmt::format("a validation of %{} against the network needs to know which tensors it and its arguments are",
                       validate.value);
  for (std::size_t a = 0; a < validate.arguments.size(); ++a)
    if (!fits(validate.argument_meanings[a], program.value(validate.arguments[a])))
      return fmt::format("a validation of %{} does not know which tensor %{} is", validate.value,
                         validate.arguments[a]);
  return {};
}

bool has_validations(const Program& program) { return program::count_of<Validate>(program.instructions) > 0; }

ValueId Program::validate(ValueId value, layout::Index length, double epsilon) {
  const auto at = static_cast<ValueId>(instructions.size());
  Validate check{value, Detail::instruction, length, epsilon};
  if (value < at) check.arguments = operands(instructions[value].operation);
  if (const std::string why = why_not(*this, at, check); !why.empty()) throw base::InputError(why);
  instructions.push_back(instruction_of(*this, std::move(check)));
  return at;
}

Program with_validations(const Program& program, const std::vector<Validate>& validations) {
  std::multimap<ValueId, const Validate*> after;
  for (const Validate& validate : validations) {
    if (const std::string why = why_not(program, static_cast<ValueId>(program.instructions.size()), validate);
        !why.empty())
      throw base::InputError(why);
    after.emplace(validate.value, &validate);
  }
  Program result{program.name, program.slots, {}};
  std::vector<ValueId> names;
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    names.push_back(static_cast<ValueId>(result.instructions.size()));
    rename(result.instructions.emplace_back(program.instructions[id]).operation, names);
    const auto [first, last] = after.equal_range(id);
    for (auto at = first; at != last; ++at)
      rename(result.instructions.emplace_back(instruction_of(program, *at->second)).operation, names);
  }
  return result;
}

}  // namespace tacit::slots
