#include "runtime/integers/integer_executor.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "program/visit.h"
#include "scheme/tfhe/check.h"
#include "scheme/tfhe/encryption.h"
#include "scheme/tfhe/rounding.h"

namespace tacit::runtime {
namespace {

using integers::Instruction;
using integers::Linear;
using integers::Lookup;
using integers::ValueId;
using scheme::tfhe::LookupTable;
using scheme::tfhe::LweCiphertexts;
using scheme::tfhe::Torus;

/// Passes the steps of lookups on, without their beginnings and ends.
class Steps final : public base::Progress {
 public:
  explicit Steps(base::Progress& whole) : whole_(whole) {}

 private:
  void stage_began(std::string_view, std::uint64_t) override {}
  void steps_done(std::uint64_t steps) override { whole_.advance(steps); }
  void stage_ended() override {}
  base::Progress& whole_;
};

LweCiphertexts add_up(const PreparedIntegers& prepared, const scheme::tfhe::Evaluator& evaluator, ValueId id,
                      std::span<const LweCiphertexts> values) {
  const integers::Program& program = prepared.program();
  const Instruction& made = program.value(id);
  const auto& linear = std::get<Linear>(made.operation);
  std::vector<Torus> bias(integers::elements(made), 0);
  for (std::size_t e = 0; e < linear.bias.size(); ++e) bias[e] = static_cast<Torus>(linear.bias[e]) << made.step;
  LweCiphertexts sums = evaluator.trivial(bias);
  for (std::size_t t = 0; t < linear.terms.size(); ++t) {
    const integers::WeightRows& weights = prepared.weights(id)[t];
    evaluator.add_sums(
        values[linear.terms[t].input],
        [&](std::size_t r) {
          const integers::WeightRows::Row row = weights.row(r);
          return scheme::tfhe::Evaluator::WeightedInputs{row.columns, row.weights};
        },
        sums);
  }
  return sums;
}

/// Ciphertext rows[i] of a batch becomes ciphertext i.
template <class Batch>
Batch gathered(const Batch& from, std::span<const std::size_t> rows) {
  Batch to(params::LweDimension(from.dimension()), rows.size(), from.parameters());
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(from[rows[i]], to[i].begin());
  return to;
}

/// The arguments of bootstraps, moved so that the middle of the first box is 0, under the small key. One that several
/// bootstraps read is switched once.
scheme::tfhe::SmallLweCiphertexts switched(const PreparedIntegers& prepared, const scheme::tfhe::Evaluator& evaluator,
                                           ValueId id, const LweCiphertexts& operand) {
  const integers::Program& program = prepared.program();
  const auto& lookup = std::get<Lookup>(program.value(id).operation);
  const integers::Bootstraps& bootstraps = prepared.bootstraps(id);
  std::vector<std::size_t> read, place;  // elements of the operand, and by bootstrap which of them
  for (std::size_t i = 0; i < bootstraps.count(); ++i) {
    if (read.empty() || read.back() != bootstraps.arguments[i]) read.push_back(bootstraps.arguments[i]);
    place.push_back(read.size() - 1);
  }
  LweCiphertexts arguments = gathered(operand, read);
  const auto first = static_cast<Torus>(integers::first_centre(program, lookup)) << program.value(lookup.input).step;
  for (std::size_t i = 0; i < arguments.count(); ++i) arguments.body(i) -= first;
  scheme::tfhe::SmallLweCiphertexts small = evaluator.key_switch(arguments);
  return read.size() == place.size() ? std::move(small) : gathered(small, place);
}

/// Makes all values of the bootstraps at the turn of a lookup.
void look_up(const PreparedIntegers& prepared, const scheme::tfhe::Evaluator& evaluator, ValueId id,
             std::vector<LweCiphertexts>& values, base::Progress& progress) {
  const integers::Program& program = prepared.program();
  const integers::Bootstraps& bootstraps = prepared.bootstraps(id);
  if (bootstraps.count() == 0) return;  // made with an earlier lookup
  const std::vector<LookupTable>& tables = prepared.tables(id);
  std::vector<const LookupTable*> of_bootstrap;
  for (std::size_t i = 0; i < bootstraps.count(); ++i) of_bootstrap.push_back(&tables[bootstraps.set_of[i]]);
  const auto& operand = values[std::get<Lookup>(program.value(id).operation).input];
  const LweCiphertexts results =
      evaluator.bootstrap(switched(prepared, evaluator, id, operand), of_bootstrap, progress);
  for (const auto& set : bootstraps.sets)
    for (const auto& [lookup, table] : set)
      if (values[lookup].count() == 0)
        values[lookup] = LweCiphertexts(params::LweDimension(results.dimension()),
                                        integers::elements(program.value(lookup)), results.parameters());
  std::size_t next = 0;
  for (std::size_t i = 0; i < bootstraps.count(); ++i)
    for (const auto& [lookup, element] : bootstraps.made(i))
      std::ranges::copy(results[next++], values[lookup][element].begin());
}

void require_no_more_than_inputs(const integers::Program& program, std::size_t tensors) {
  const auto inputs = static_cast<std::size_t>(std::ranges::count_if(
      program.instructions, [](const auto& made) { return std::holds_alternative<integers::Input>(made.operation); }));
  if (tensors > inputs) base::refuse("{} encrypted tensors for a program with {} inputs", tensors, inputs);
}

}  // namespace

std::vector<LweCiphertexts> expand_inputs(const scheme::tfhe::Context& context, const integers::Program& program,
                                          std::span<const scheme::tfhe::FreshLweCiphertexts> tensors) {
  require_no_more_than_inputs(program, tensors.size());
  std::vector<LweCiphertexts> inputs;
  for (const integers::Instruction& made : program.instructions) {
    const auto* input = std::get_if<integers::Input>(&made.operation);
    if (input == nullptr) continue;
    const std::size_t next = inputs.size();
    const std::size_t found = next < tensors.size() ? tensors[next].bodies.size() : 0;
    if (found != integers::elements(made))
      base::refuse("tensor '{}' has {} ciphertexts; expected {}", input->name, found, integers::elements(made));
    inputs.push_back(scheme::tfhe::expand(context, tensors[next]));
  }
  return inputs;
}

IntegerExecutor::IntegerExecutor(std::shared_ptr<const PreparedIntegers> prepared,
                                 std::shared_ptr<const scheme::tfhe::Evaluator> evaluator)
    : prepared_(std::move(prepared)), evaluator_(std::move(evaluator)) {
  check_parameters(*prepared_->context(), evaluator_->context().parameters().hash(), "run", "evaluation keys");
}

IntegerRunResult IntegerExecutor::run(std::span<const LweCiphertexts> inputs, IntegerObserver* observer,
                                      base::Progress& progress) const {
  using program::Overloaded;
  const integers::Program& program = prepared_->program();
  require_no_more_than_inputs(program, inputs.size());
  std::vector<LweCiphertexts> values(program.instructions.size());
  IntegerRunResult result;
  std::size_t next = 0;
  progress.begin("looking up", integers::bootstraps(program));
  Steps steps(progress);
  for (ValueId id = 0; id < values.size(); ++id) {
    const auto start = std::chrono::steady_clock::now();
    const Instruction& made = program.value(id);
    std::visit(Overloaded{[&](const integers::Input& input) {
                            if (next == inputs.size() || inputs[next].count() != integers::elements(made))
                              base::refuse("input '{}' has {} ciphertexts; expected {}", input.name,
                                           next == inputs.size() ? 0 : inputs[next].count(), integers::elements(made));
                            values[id] = inputs[next++];
                          },
                          [&](const Linear&) { values[id] = add_up(*prepared_, *evaluator_, id, values); },
                          [&](const Lookup&) { look_up(*prepared_, *evaluator_, id, values, steps); },
                          [&](const integers::Round& round) {
                            values[id] = scheme::tfhe::round_off(*evaluator_, values[round.input],
                                                                 program.value(round.input).step, round.dropped, steps);
                          },
                          [&](const integers::Output& output) { result.outputs.push_back(values[output.input]); },
                          [&](const program::Validate&) {
                            if (observer == nullptr)
                              throw base::InputError("the program contains validations, which need the secret key");
                          }},
               made.operation);
    if (observer != nullptr)
      observer->value(id,
                      std::holds_alternative<integers::Output>(made.operation) ? result.outputs.back() : values[id]);
    for (const ValueId operand : integers::operands(made.operation))
      if (prepared_->last_uses()[operand] == id) values[operand] = LweCiphertexts();
    result.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  progress.end();
  return result;
}

}  // namespace tacit::runtime
