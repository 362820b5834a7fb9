#include "program/cost.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "params/key_switch_primes.h"
#include "program/bootstrap_pairs.h"
#include "program/key_manifest.h"

namespace tacit::program {
namespace {

LinearCounts steps_of(const params::DftFactor& factor) {
  std::set<std::int64_t> babies, giants;
  for (const params::DiagonalStep& step : factor.schedule.steps) {
    if (step.baby != 0) babies.insert(step.baby);
    if (step.giant != 0) giants.insert(step.giant);
  }
  LinearCounts counts;
  counts.babies = static_cast<std::int64_t>(babies.size());
  counts.giants = static_cast<std::int64_t>(giants.size());
  counts.products = static_cast<std::int64_t>(factor.schedule.steps.size());
  return counts;
}

}  // namespace

OperationPrices::OperationPrices(const params::CkksLiteral& literal, const CostTable& table)
    : n_(std::ldexp(1.0, literal.log_n)),
      ntt_(table.ntt_ns * 1e-9 * n_ * literal.log_n),
      mac_(table.mac_ns * 1e-9 * n_),
      key_(table.key_ns * 1e-9 * n_),
      product_(table.product_ns * 1e-9 * n_),
      literal_(literal),
      table_(table),
      digit_limbs_(params::digits_of(literal)),
      product_digit_limbs_(params::product_digits_of(literal)),
      special_(params::special_primes(literal, digit_limbs_)),
      product_special_(params::special_primes(literal, product_digit_limbs_)) {}

double OperationPrices::transforms(double count) const { return count * ntt_; }
double OperationPrices::multiply_accumulates(double count) const { return count * mac_; }
double OperationPrices::products(double count) const { return count * product_; }
double OperationPrices::key_products(double rows) const { return 2 * rows * key_; }
int OperationPrices::digits(const std::vector<std::size_t>& limbs, int level) {
  std::size_t covered = 0;
  int count = 0;
  for (; covered <= static_cast<std::size_t>(level) && static_cast<std::size_t>(count) < limbs.size(); ++count)
    covered += limbs[static_cast<std::size_t>(count)];
  return count;
}

double OperationPrices::special(const std::vector<std::size_t>& by_level, int level) {
  return static_cast<double>(by_level[std::min(static_cast<std::size_t>(level), by_level.size() - 1)]);
}

double OperationPrices::key_switch(int level, double beta, double special) const {
  const double limbs = level + 1, extended = limbs + special;
  return transforms((beta + 2) * extended) + multiply_accumulates(limbs * (extended - special) + 2 * special * limbs) +
         key_products(beta * extended);
}

double OperationPrices::rotate(int level) const { return key_switch(level, digits(level), special(level)); }
double OperationPrices::multiply(int level) const {
  return key_switch(level, digits(product_digit_limbs_, level), special(product_special_, level)) +
         products(6.0 * (level + 1));
}

OperationPrices OperationPrices::raised(const params::BootstrapSchedule& schedule) const {
  params::CkksLiteral literal = literal_;
  const auto first = literal.q_bits.begin() + schedule.chain.output + 1;
  literal.q_bits.erase(first, first + schedule.chain.skipped);
  const std::vector<std::size_t> digits =
      params::digits_without(digit_limbs_, schedule.chain.output + 1, schedule.chain.skipped);
  literal.digits.assign(digits.begin(), digits.end());
  return {literal, table_};
}

double OperationPrices::sine(const params::BootstrapSchedule& schedule) const {
  // Of an even series of degree 30 the basis takes five products and the tree four; then one a doubled angle.
  const std::size_t doubled = schedule.chain.sine.size() - 1;
  double sum = 0;
  for (std::size_t i = 0; i < doubled; ++i)
    sum += (i < params::kCosineDepth ? 9.0 / params::kCosineDepth : 1.0) * multiply(schedule.chain.sine[i]);
  return sum;
}

double OperationPrices::bootstrap(const params::BootstrapSchedule& schedule) const {
  const OperationPrices above = raised(schedule);
  double sum = 2 * above.rotate(schedule.chain.top) + above.rotate(schedule.chain.sine[0]);  // raising, conjugation
  for (const params::DftFactor& factor : schedule.slots_to_coefficients)
    sum += seconds(steps_of(factor), linear(factor.level));
  for (const params::DftFactor& factor : schedule.coefficients_to_slots)
    sum += seconds(steps_of(factor), above.linear(factor.level));
  return sum + above.sine(schedule);
}

double OperationPrices::bootstraps(const params::BootstrapSchedule& schedule, std::int64_t ciphertexts) const {
  const double one = bootstrap(schedule);
  return static_cast<double>(ciphertexts - ciphertexts / 2) * one +
         static_cast<double>(ciphertexts / 2) * raised(schedule).sine(schedule);
}

double OperationPrices::multiply_plain(int level) const {
  return transforms(2.0 * (level + 1)) + products(4.0 * (level + 1));
}

double OperationPrices::polynomial(int level, const params::PolynomialPlan& plan) const {
  double sum = 0;
  for (std::size_t d = 1; d < plan.relinearisations.size(); ++d)
    sum += plan.relinearisations[d] * multiply(level - static_cast<int>(d) + 1);
  return sum;
}

double OperationPrices::encrypt(int level) const {
  return transforms(3.0 * (level + 1)) + multiply_accumulates(6.0 * (level + 1));
}

LinearPrices OperationPrices::linear(int level) const {
  const double limbs = level + 1, special = this->special(level), extended = limbs + special, beta = digits(level);
  LinearPrices prices;
  prices.decompose = transforms(beta * extended) + multiply_accumulates(limbs * (extended - special));
  prices.baby = key_products(beta * extended) + multiply_accumulates(extended);
  prices.giant = transforms((beta + 1) * extended) +
                 multiply_accumulates(limbs * (extended - special) + special * limbs) + key_products(beta * extended);
  prices.product = products(2 * extended);
  prices.finish = transforms(2 * extended) + multiply_accumulates(2 * special * limbs);
  prices.fold = level > 0 ? rotate(level - 1) : rotate(0);
  return prices;
}

double OperationPrices::key_bytes(int level) const {
  return digits(level) * (level + 1 + special(level)) * n_ * sizeof(std::uint64_t);
}
double OperationPrices::product_key_bytes(int level) const {
  return digits(product_digit_limbs_, level) * (level + 1 + special(product_special_, level)) * n_ *
         sizeof(std::uint64_t);
}
double OperationPrices::ciphertext_bytes(int level) const { return 2.0 * (level + 1) * n_ * sizeof(std::uint64_t); }
double OperationPrices::diagonal_bytes(int level) const {
  return (level + 1 + special(level)) * n_ * sizeof(std::uint64_t);
}

double OperationPrices::linear_scratch_bytes(int level, const LinearCounts& counts) const {
  constexpr auto kBatchBytes = static_cast<double>(params::kLinearBatchBytes);
  const double extended = (level + 1 + special(level)) * n_ * sizeof(std::uint64_t);
  const double pair = 2 * extended, digit = digits(level) * extended;
  const auto outputs = static_cast<double>(counts.outputs);
  const auto batched = [&](double count, double bytes) {
    return std::min(count * bytes, std::max(kBatchBytes, bytes));
  };
  return batched(counts.babies > 0 ? static_cast<double>(counts.inputs) : 0, digit) +
         batched(outputs * static_cast<double>(counts.giants + 1), pair) + outputs * pair;
}

double OperationPrices::polynomial_scratch_bytes(int level, const params::PolynomialPlan& plan) const {
  return (static_cast<double>(plan.basis.size()) + 1.5 * static_cast<double>(plan.relinearisations.size())) *
         ciphertext_bytes(level);
}

namespace {

class CostReading {
 public:
  CostReading(const Program& program, const params::CkksLiteral& literal, const CostTable& table)
      : program_(program), prices_(literal, table) {
    for (const auto& [first, second] : bootstrap_pairs(program)) joined_.insert(second);
  }

  InstructionCost read(const Instruction& instruction) const {
    InstructionCost cost;
    const auto width = static_cast<double>(instruction.layout.ciphertexts());
    const int before = operand_level(instruction);
    if (const auto* linear = std::get_if<Linear>(&instruction.operation)) {
      for (const LinearTerm& term : linear->terms) {
        const layout::DiagonalSet set = layout::diagonal_set(term.map);
        const LinearCounts counts = count(term.schedule, set, term.map.in.ciphertexts(), term.map.out.ciphertexts());
        cost.diagonals += counts.products;
        cost.rotations += counts.rotations();
        const LinearPrices prices = prices_.linear(before);
        const double spent = seconds(counts, prices);
        cost.seconds += spent;
        cost.key_switch_seconds += spent - static_cast<double>(counts.products) * prices.product -
                                   static_cast<double>(counts.outputs) * prices.finish;
        cost.scratch_bytes = std::max(cost.scratch_bytes, prices_.linear_scratch_bytes(before, counts));
        cost.diagonal_bytes += static_cast<double>(counts.products) * prices_.diagonal_bytes(before) *
                               static_cast<double>(set.period) / static_cast<double>(set.slots);
      }
    } else if (const auto* polynomial = std::get_if<Polynomial>(&instruction.operation)) {
      const params::PolynomialPlan plan = params::plan_polynomial(polynomial->coefficients, polynomial->schedule);
      cost.scratch_bytes = prices_.polynomial_scratch_bytes(before, plan);
      for (std::size_t d = 1; d < plan.relinearisations.size(); ++d)
        cost.multiplications += plan.relinearisations[d] * instruction.layout.ciphertexts();
      cost.seconds = width * prices_.polynomial(before, plan);
    } else if (std::holds_alternative<Multiply>(instruction.operation)) {
      cost.multiplications = instruction.layout.ciphertexts();
      cost.seconds = width * prices_.multiply(before);
    } else if (std::holds_alternative<MultiplyPlain>(instruction.operation)) {
      cost.seconds = width * prices_.multiply_plain(before);
    } else if (std::holds_alternative<Rotate>(instruction.operation)) {
      cost.rotations = instruction.layout.ciphertexts();
      cost.seconds = width * prices_.rotate(before);
    } else if (const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation)) {
      const params::BootstrapSchedule& schedule = bootstrap->schedule;
      cost.seconds = prices_.bootstraps(schedule, instruction.layout.ciphertexts());
      if (joined_.contains(static_cast<ValueId>(&instruction - program_.instructions.data())))
        cost.seconds += prices_.bootstraps(schedule, 2) - 2 * prices_.bootstraps(schedule, 1);
      for (const auto* factors : {&schedule.slots_to_coefficients, &schedule.coefficients_to_slots})
        for (const params::DftFactor& factor : *factors) {
          cost.rotations += steps_of(factor).rotations() * ((instruction.layout.ciphertexts() + 1) / 2);
          cost.scratch_bytes =
              std::max(cost.scratch_bytes, prices_.linear_scratch_bytes(factor.level, steps_of(factor)));
        }
    }
    return cost;
  }

  double key_bytes() const {
    const params::KeyManifest needs = key_manifest(program_);
    double bytes = needs.relinearise_level >= 0 ? prices_.product_key_bytes(needs.relinearise_level) : 0;
    for (const auto& [steps, level] : needs.rotations) bytes += prices_.key_bytes(level);
    for (const int level : {needs.conjugate_level, needs.raise_level})
      if (level >= 0) bytes += prices_.key_bytes(level);
    return bytes;
  }

  // Every kind of bootstrap holds its transforms once, dense in one factor of each.
  double transform_bytes() const {
    std::map<std::pair<params::BootstrapForm, int>, double> by_kind;  // form and output level
    for (const Instruction& instruction : program_.instructions)
      if (const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation)) {
        double bytes = 0;
        for (const auto* factors :
             {&bootstrap->schedule.slots_to_coefficients, &bootstrap->schedule.coefficients_to_slots})
          for (const params::DftFactor& factor : *factors) {
            const int dense_stage = bootstrap->schedule.coefficients_to_slots.front().first_stage;
            const double period = factor.first_stage == dense_stage ? 1 : 1.0 / 16;
            bytes += period * static_cast<double>(factor.schedule.steps.size()) * prices_.diagonal_bytes(factor.level);
          }
        by_kind[{bootstrap->schedule.form, bootstrap->schedule.output_level}] = bytes;
      }
    double sum = 0;
    for (const auto& [kind, bytes] : by_kind) sum += bytes;
    return sum;
  }

  double live_bytes(const std::vector<InstructionCost>& costs) const {
    const std::vector<ValueId> last = last_uses(program_);
    double live = 0, most = 0;
    const auto bytes = [&](ValueId id) {
      const Instruction& value = program_.value(id);
      if (std::holds_alternative<Validate>(value.operation)) return 0.0;
      return static_cast<double>(value.layout.ciphertexts()) * prices_.ciphertext_bytes(value.level);
    };
    for (ValueId id = 0; id < program_.instructions.size(); ++id) {
      live += bytes(id);
      most = std::max(most, live + costs[id].scratch_bytes);
      std::vector<ValueId> reads = operands(program_.instructions[id].operation);
      std::sort(reads.begin(), reads.end());
      reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
      for (const ValueId read : reads)
        if (last[read] == id) live -= bytes(read);
    }
    return most;
  }

 private:
  const Program& program_;
  OperationPrices prices_;
  std::set<ValueId> joined_;  ///< bootstraps whose last ciphertext passes with that of an earlier one
};

}  // namespace

ProgramCost price(const Program& program, const params::CkksLiteral& literal, const CostTable& table) {
  const CostReading reading(program, literal, table);
  ProgramCost total;
  for (const Instruction& instruction : program.instructions) {
    const InstructionCost cost = reading.read(instruction);
    total.rotations += cost.rotations;
    total.diagonals += cost.diagonals;
    total.multiplications += cost.multiplications;
    total.seconds += cost.seconds;
    total.diagonal_bytes += cost.diagonal_bytes;
    if (std::holds_alternative<Input>(instruction.operation) || std::holds_alternative<Output>(instruction.operation))
      total.ciphertexts += instruction.layout.ciphertexts();
    total.instructions.push_back(cost);
  }
  total.key_bytes = reading.key_bytes();
  total.diagonal_bytes += reading.transform_bytes();
  total.live_ciphertext_bytes = reading.live_bytes(total.instructions);
  return total;
}

}  // namespace tacit::program
