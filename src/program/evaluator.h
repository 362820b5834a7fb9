#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "program/program.h"

namespace tacit::program {

/// A reading of a program: what each instruction means on the reader's own kind of value (slot vectors, a cost record,
/// ciphertexts). An evaluator needs, for every operation O, an overload
///   Value evaluate(const O&, const Instruction&, std::span<const Value* const> operands)
/// where `operands` follows program::operands. An Input has none and returns what the client sent; an Output returns
/// what the client gets.
template <class E>
concept Evaluator = requires {
  typename E::Value;
}
&&std::movable<typename E::Value>;

/// Told every value right after it was made, with its operands still alive: what validation and tracing hook into.
template <class Value>
using ValueObserver = std::function<void(ValueId, const Value&, std::span<const Value* const> operands)>;

/// Runs the program in order, frees every value after its last use, and returns the outputs in order of appearance.
template <Evaluator E>
std::vector<typename E::Value> execute(const Program& program, E& evaluator,
                                       const ValueObserver<typename E::Value>& observer = {}) {
  using Value = typename E::Value;
  const std::vector<ValueId> last_use = last_uses(program);
  std::vector<std::unique_ptr<Value>> values(program.instructions.size());
  std::vector<Value> outputs;
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& instruction = program.instructions[id];
    const std::vector<ValueId> reads = operands(instruction.operation);
    std::vector<const Value*> inputs;
    for (const ValueId read : reads) inputs.push_back(values[read].get());
    values[id] = std::make_unique<Value>(std::visit(
        [&](const auto& operation) {
          return evaluator.evaluate(operation, instruction, std::span<const Value* const>(inputs));
        },
        instruction.operation));
    if (observer) observer(id, *values[id], inputs);
    for (const ValueId read : reads)
      if (last_use[read] == id) values[read].reset();
    if (std::holds_alternative<Output>(instruction.operation)) outputs.push_back(std::move(*values[id]));
  }
  return outputs;
}

}  // namespace tacit::program
