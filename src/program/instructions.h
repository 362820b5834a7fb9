#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "program/validation.h"

// The common parts of the instructions of every kind of program.
namespace tacit::program {

/// Passes every operand of an operation to a visitor, in order: a ValueId &, constant if the operation is constant.
template <class Operation, class Visit>
void each_operand(Operation& operation, const Visit& visit) {
  const auto each = [&](auto& parts) {
    for (auto& part : parts) visit(part.input);
  };
  const auto read = [&](auto& one) {
    if constexpr (requires { one.input; }) {
      visit(one.input);
    } else if constexpr (requires { one.left; }) {
      visit(one.left);
      visit(one.right);
    } else if constexpr (requires { one.inputs; }) {
      for (auto& input : one.inputs) visit(input);
    } else if constexpr (requires { one.arguments; }) {
      visit(one.value);
      for (auto& argument : one.arguments) visit(argument);
    } else if constexpr (requires { one.parts; }) {
      each(one.parts);
    } else if constexpr (requires { one.terms; }) {
      each(one.terms);
    } else {
      static_assert(
          requires { one.name; }, "only an input has no operands");
    }
  };
  std::visit(read, operation);
}

/// Returns the values that an operation reads, in order.
template <class... Kinds>
std::vector<ValueId> operands(const std::variant<Kinds...>& operation) {
  std::vector<ValueId> reads;
  each_operand(operation, [&](ValueId id) { reads.push_back(id); });
  return reads;
}

/// Returns, for every value, the instruction that reads it last (itself if nothing does).
template <class Program>
std::vector<ValueId> last_uses(const Program& program) {
  std::vector<ValueId> last(program.instructions.size());
  std::iota(last.begin(), last.end(), ValueId{0});
  for (ValueId id = 0; id < last.size(); ++id)
    each_operand(program.instructions[id].operation, [&](ValueId read) { last.at(read) = id; });
  return last;
}

/// Returns the names of the inputs or the outputs of a program, in order.
template <class Kind, class Program>
std::vector<std::string> names_of(const Program& program) {
  std::vector<std::string> names;
  for (const auto& instruction : program.instructions)
    if (const auto* named = std::get_if<Kind>(&instruction.operation)) names.push_back(named->name);
  return names;
}

/// Returns the number of instructions of one kind.
template <class Kind, class Instructions>
std::size_t count_of(const Instructions& instructions) {
  return static_cast<std::size_t>(std::ranges::count_if(
      instructions, [](const auto& instruction) { return std::holds_alternative<Kind>(instruction.operation); }));
}

}  // namespace tacit::program
