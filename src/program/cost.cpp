#include "program/cost.h"

#include <algorithm>
#include <set>

#include "base/parallel.h"
#include "program/bootstrap_pairs.h"
#include "program/key_manifest.h"

namespace tacit::program {

LinearPrices OperationPrices::linear(int level) const {
  const params::LinearParts<params::Work> work = account_.linear(level);
  return {.decompose = seconds(work.decompose),
          .baby = seconds(work.baby),
          .giant = seconds(work.giant),
          .product = seconds(work.product),
          .fold = seconds(work.fold),
          .finish = seconds(work.finish)};
}

double OperationPrices::bootstraps(const params::BootstrapSchedule& schedule, std::int64_t ciphertexts) const {
  const std::int64_t second_of_pair = ciphertexts / 2;
  return static_cast<double>(ciphertexts - second_of_pair) * seconds(account_.bootstrap(schedule)) +
         static_cast<double>(second_of_pair) * seconds(account_.sine(schedule));
}

namespace {

class CostReading {
 public:
  CostReading(const Program& program, const params::CkksLiteral& literal, const params::CostTable& table)
      : program_(program), prices_(literal, table) {
    for (const auto& [first, second] : bootstrap_pairs(program)) joined_.insert(second);
  }

  const params::Account& account() const { return prices_.account(); }

  InstructionCost read(const Instruction& instruction) const {
    InstructionCost cost;
    const std::int64_t count = instruction.layout.ciphertexts();
    const auto width = static_cast<double>(count);
    const int before = operand_level(instruction);
    if (const auto* linear = std::get_if<Linear>(&instruction.operation)) {
      for (const LinearTerm& term : linear->terms) read(term, before, cost);
    } else if (const auto* polynomial = std::get_if<Polynomial>(&instruction.operation)) {
      const params::PolynomialPlan plan = params::plan_polynomial(polynomial->coefficients, polynomial->schedule);
      for (const int products : plan.relinearisations) cost.multiplications += products * count;
      cost.seconds = width * prices_.polynomial(before, plan);
    } else if (std::holds_alternative<Multiply>(instruction.operation)) {
      cost.multiplications = count;
      cost.seconds = width * prices_.multiply(before);
    } else if (std::holds_alternative<MultiplyPlain>(instruction.operation)) {
      cost.seconds = width * prices_.multiply_plain(before);
    } else if (std::holds_alternative<Rotate>(instruction.operation)) {
      cost.rotations = count;
      cost.seconds = width * prices_.rotate(before);
    } else if (const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation)) {
      const params::BootstrapSchedule& schedule = bootstrap->schedule;
      cost.seconds = prices_.bootstraps(schedule, count);
      if (joined_.contains(static_cast<ValueId>(&instruction - program_.instructions.data())))
        cost.seconds += prices_.bootstraps(schedule, 2) - 2 * prices_.bootstraps(schedule, 1);
      for (const auto* factors : {&schedule.slots_to_coefficients, &schedule.coefficients_to_slots})
        for (const params::DftFactor& factor : *factors)
          cost.rotations += params::count(factor.schedule.steps).rotations() * ((count + 1) / 2);
    }
    return cost;
  }

 private:
  void read(const LinearTerm& term, int level, InstructionCost& cost) const {
    const layout::DiagonalSet set = layout::diagonal_set(term.map);
    const LinearCounts counts = count(term.schedule, set, term.map.in.ciphertexts(), term.map.out.ciphertexts());
    const LinearPrices prices = prices_.linear(level);
    const double seconds = params::total(counts, prices);
    cost.diagonals += counts.products;
    cost.rotations += counts.rotations();
    cost.seconds += seconds;
    cost.key_switch_seconds += seconds - static_cast<double>(counts.products) * prices.product -
                               static_cast<double>(counts.outputs) * prices.finish;
    cost.diagonal_bytes += static_cast<double>(counts.products) * prices_.account().diagonal_bytes(level) *
                           static_cast<double>(set.period) / static_cast<double>(set.slots);
  }

  const Program& program_;
  OperationPrices prices_;
  std::set<ValueId> joined_;  ///< bootstraps whose last ciphertext passes with that of an earlier one
};

}  // namespace

ProgramCost price(const Program& program, const params::CkksLiteral& literal, const params::CostTable& table) {
  const CostReading reading(program, literal, table);
  ProgramCost total;
  for (const Instruction& instruction : program.instructions) {
    const InstructionCost cost = reading.read(instruction);
    total.rotations += cost.rotations;
    total.diagonals += cost.diagonals;
    total.multiplications += cost.multiplications;
    total.seconds += cost.seconds;
    total.memory.weights += cost.diagonal_bytes;
    if (std::holds_alternative<Input>(instruction.operation) || std::holds_alternative<Output>(instruction.operation))
      total.ciphertexts += instruction.layout.ciphertexts();
    total.instructions.push_back(cost);
  }
  total.memory.keys = params::key_bytes(literal, key_manifest(program));
  total.memory.values = value_bytes(program, reading.account(), base::thread_limit());
  total.memory.transforms = transform_bytes(program, reading.account());
  return total;
}

}  // namespace tacit::program
