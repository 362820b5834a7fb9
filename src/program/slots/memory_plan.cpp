#include "program/slots/memory_plan.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/aligned.h"
#include "layout/equal_parts.h"
#include "program/slots/linear_plan.h"
#include "program/visit.h"

namespace tacit::slots {
namespace {

/// True for a value whose ciphertexts are those of its operands.
bool shares(const Program& program, ValueId id) {
  const Instruction& instruction = program.instructions[id];
  const auto* gather = std::get_if<Gather>(&instruction.operation);
  return gather && std::ranges::all_of(gather->parts, [&](const GatherPart& part) {
           return program.value(part.input).level == instruction.level;
         });
}

/// For every value the last instruction that reads it, through values that share its ciphertexts too.
std::vector<ValueId> last_reads(const Program& program) {
  std::vector<ValueId> last = last_uses(program);
  for (ValueId id = static_cast<ValueId>(program.instructions.size()); id-- > 0;)
    if (shares(program, id))
      for (const ValueId read : operands(program.instructions[id].operation))
        last[read] = std::max(last[read], last[id]);
  return last;
}

double array_bytes(const Program& program, ValueId id, const params::Account& account,
                   const layout::Placement& placement) {
  const Instruction& instruction = program.instructions[id];
  if (std::holds_alternative<Validate>(instruction.operation) || shares(program, id)) return 0;
  return static_cast<double>(placement.largest_share(instruction.layout.ciphertexts())) *
         account.ciphertext_bytes(instruction.level);
}

/// What a linear map reads, of which a rank holds its share already.
double sent_bytes(const Instruction& instruction, const params::Account& account, const layout::Placement& placement) {
  const auto* linear = std::get_if<Linear>(&instruction.operation);
  if (linear == nullptr) return 0;
  double most = 0;
  for (const LinearTerm& term : linear->terms) {
    const layout::Index inputs = term.map.in.ciphertexts();
    most = std::max(most, static_cast<double>(inputs - placement.largest_share(inputs)));
  }
  return most * account.ciphertext_bytes(operand_level(instruction));
}

/// What an instruction holds besides its operands and its result.
double scratch_bytes(const Instruction& instruction, const params::Account& account, int threads) {
  const Operation& operation = instruction.operation;
  if (program::holds_any<Validate, Gather, Input, Output>(operation)) return 0;
  const int level = operand_level(instruction);
  double most = 0;
  if (const auto* linear = std::get_if<Linear>(&instruction.operation)) {
    for (const LinearTerm& term : linear->terms) {
      LinearCounts counts = params::count(term.schedule.steps);
      const layout::Index groups = layout::equal_parts(term.map).count;  // which follow each other
      counts.inputs = term.map.in.ciphertexts() / groups;
      counts.outputs = term.map.out.ciphertexts() / groups;
      most = std::max(most, account.linear_scratch_bytes(level, counts));
    }
    return most;
  }
  if (const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation))
    return account.bootstrap_scratch_bytes(bootstrap->schedule);
  if (const auto* lookup = std::get_if<Lookup>(&instruction.operation))
    return account.lookup_scratch_bytes(lookup->schedule);
  const double at_once = static_cast<double>(std::min<std::int64_t>(threads, instruction.layout.ciphertexts()));
  if (const auto* polynomial = std::get_if<Polynomial>(&instruction.operation))
    return at_once * account.polynomial_scratch_bytes(
                         params::plan_polynomial(polynomial->coefficients, polynomial->schedule), level);
  return at_once * account.key_switch_scratch_bytes(level);
}

}  // namespace

double value_bytes(const Program& program, const params::Account& account, int threads,
                   const layout::Placement& placement) {
  const std::vector<ValueId> last = last_reads(program);
  std::vector<std::vector<ValueId>> ends(program.instructions.size());
  for (ValueId id = 0; id < program.instructions.size(); ++id)
    if (last[id] != id) ends[last[id]].push_back(id);
  double alive = 0, most = 0;
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& instruction = program.instructions[id];
    alive += array_bytes(program, id, account, placement);
    most = std::max(most,
                    alive + sent_bytes(instruction, account, placement) + scratch_bytes(instruction, account, threads));
    for (const ValueId ended : ends[id]) alive -= array_bytes(program, ended, account, placement);
  }
  // Blocks that were given back are kept for the next of their size (base/aligned.h).
  return most + std::min(most, static_cast<double>(base::kMostKeptBytes));
}

namespace {

/// A schedule of every form and output level that a program bootstraps by.
std::vector<const params::BootstrapSchedule*> kinds_of_bootstraps(const Program& program) {
  std::map<std::pair<params::BootstrapForm, int>, const params::BootstrapSchedule*> by_kind;
  for (const Instruction& instruction : program.instructions)
    if (const auto* bootstrap = bootstrap_of(instruction.operation))
      by_kind[{bootstrap->form, bootstrap->output_level}] = bootstrap;
  std::vector<const params::BootstrapSchedule*> kinds;
  for (const auto& [kind, schedule] : by_kind) kinds.push_back(schedule);
  return kinds;
}

}  // namespace

double transform_bytes(const Program& program, const params::Account& account) {
  double sum = 0;
  for (const params::BootstrapSchedule* schedule : kinds_of_bootstraps(program))
    sum += account.transform_bytes(*schedule);
  return sum;
}

params::Work encode_transforms(const Program& program, const params::Account& account) {
  params::Work sum;
  for (const params::BootstrapSchedule* schedule : kinds_of_bootstraps(program))
    sum += account.encode_transforms(*schedule);
  return sum;
}

}  // namespace tacit::slots
