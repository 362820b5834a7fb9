#include "program/slots/cost.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "program/slots/cost_evaluator.h"
#include "program/slots/execute.h"
#include "program/slots/key_manifest.h"

namespace tacit::slots {

ProgramCost price(const Program& program, const params::CkksLiteral& literal, const params::CostTable& table) {
  const auto reading = CostEvaluator::make(literal, UnitPrices(literal, table), Priced::program);
  KeptWeights weights(program, *reading);
  ProgramCost total;
  std::vector<ArrayPtr> inputs;
  for (const Instruction& instruction : program.instructions) {
    const bool arrives = std::holds_alternative<Input>(instruction.operation);
    if (arrives) inputs.push_back(reading->encrypt(instruction.layout, {}, {instruction.level, instruction.scale}));
    if (arrives || std::holds_alternative<Output>(instruction.operation))
      total.ciphertexts += instruction.layout.ciphertexts();
  }
  reading->restart();
  execute(program, *reading, weights, std::move(inputs), [&](ValueId, const ArrayPtr&, std::span<const ArrayPtr>) {
    const Cost& read = reading->cost();
    const InstructionCost& cost = total.instructions.emplace_back(
        InstructionCost{read.work.diagonals, read.work.rotations(), read.work.count(Unit::relinearise), read.seconds,
                        read.key_switch_seconds, read.work.weight_bytes, read.weight_seconds});
    total.rotations += cost.rotations;
    total.diagonals += cost.diagonals;
    total.multiplications += cost.multiplications;
    total.seconds += cost.seconds;
    total.encode_seconds += cost.weight_seconds;
    total.memory.weights += cost.weight_bytes;
    total.memory.largest_weights = std::max(total.memory.largest_weights, cost.weight_bytes);
    reading->restart();
  });
  const params::Account account(literal);
  total.memory.keys = params::key_bytes(literal, key_manifest(program));
  total.memory.values = value_bytes(program, account, base::thread_limit());
  total.memory.transforms = transform_bytes(program, account);
  total.encode_seconds += params::seconds(encode_transforms(program, account), table);
  total.key_seconds = params::seconds(params::key_generation(literal, key_manifest(program)), table);
  return total;
}

EncodedAnew encoded_anew(const ProgramCost& cost, double available) {
  std::vector<std::size_t> order(cost.instructions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return cost.instructions[i].weight_bytes; });
  EncodedAnew anew;
  double largest = 0;
  for (const std::size_t i : order) {
    const InstructionCost& one = cost.instructions[i];
    if (cost.memory.peak() - anew.bytes + largest <= available) break;
    if (one.weight_bytes > 0) anew.instructions.push_back(i);
    anew.bytes += one.weight_bytes;
    anew.seconds += one.weight_seconds;
    largest = one.weight_bytes;
  }
  return anew;
}

}  // namespace tacit::slots
