#include "program/memory_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/aligned.h"
#include "program/linear_plan.h"

namespace tacit::program {
namespace {

double array_bytes(const Instruction& instruction, const params::Account& account) {
  if (std::holds_alternative<Validate>(instruction.operation)) return 0;
  return static_cast<double>(instruction.layout.ciphertexts()) * account.ciphertext_bytes(instruction.level);
}

/// What an instruction holds besides its operands and its result.
double scratch_bytes(const Instruction& instruction, const params::Account& account, int threads) {
  if (std::holds_alternative<Validate>(instruction.operation)) return 0;
  const int level = operand_level(instruction);
  double most = 0;
  if (const auto* linear = std::get_if<Linear>(&instruction.operation)) {
    for (const LinearTerm& term : linear->terms) {
      LinearCounts counts = params::count(term.schedule.steps);
      counts.inputs = term.map.in.ciphertexts();
      counts.outputs = term.map.out.ciphertexts();
      most = std::max(most, account.linear_scratch_bytes(level, counts));
    }
    return most;
  }
  if (const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation))
    return account.bootstrap_scratch_bytes(bootstrap->schedule);
  const double at_once = static_cast<double>(std::min<std::int64_t>(threads, instruction.layout.ciphertexts()));
  if (const auto* polynomial = std::get_if<Polynomial>(&instruction.operation))
    return at_once * account.polynomial_scratch_bytes(
                         params::plan_polynomial(polynomial->coefficients, polynomial->schedule), level);
  return at_once * account.key_switch_scratch_bytes(level);
}

}  // namespace

double value_bytes(const Program& program, const params::Account& account, int threads) {
  const std::vector<ValueId> last = last_uses(program);
  double alive = 0, most = 0;
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& instruction = program.instructions[id];
    alive += array_bytes(instruction, account);
    most = std::max(most, alive + scratch_bytes(instruction, account, threads));
    const std::vector<ValueId> operands = program::operands(instruction.operation);
    for (const ValueId read : std::set<ValueId>(operands.begin(), operands.end()))
      if (last[read] == id) alive -= array_bytes(program.instructions[read], account);
  }
  // Blocks that were given back are kept for the next of their size (base/aligned.h).
  return most + std::min(most, static_cast<double>(base::kMostKeptBytes));
}

double transform_bytes(const Program& program, const params::Account& account) {
  std::map<std::pair<params::BootstrapForm, int>, double> by_kind;
  for (const Instruction& instruction : program.instructions)
    if (const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation))
      by_kind[{bootstrap->schedule.form, bootstrap->schedule.output_level}] =
          account.transform_bytes(bootstrap->schedule);
  double sum = 0;
  for (const auto& [kind, bytes] : by_kind) sum += bytes;
  return sum;
}

}  // namespace tacit::program
