#pragma once

#include <vector>

#include "check/faults_for_test.h"
#include "check/insertion.h"
#include "check/validator.h"
#include "program/validation.h"
#include "runtime/encoded_weights.h"
#include "runtime/encrypted_evaluator.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::check {

/// The encrypted reading with one result tampered with, and a validator that looks at what comes after.
class TamperedEvaluator {
 public:
  using Value = runtime::CiphertextArray;
  using Operands = std::span<const Value* const>;

  TamperedEvaluator(runtime::EncryptedEvaluator& inner, const program::Program& program, program::ValueId at,
                    const Fault* fault, const params::CkksParameters& parameters, Validator& validator)
      : inner_(inner), program_(program), at_(at), fault_(fault), parameters_(parameters), validator_(validator) {}

  template <class Op>
  Value evaluate(const Op& operation, const program::Instruction& instruction, Operands operands) {
    const auto id = static_cast<program::ValueId>(&instruction - program_.instructions.data());
    Value value = inner_.evaluate(operation, instruction, operands);
    if constexpr (std::is_same_v<Op, program::Validate>) {
      validator_.validate(id, operands);
    } else if (fault_ && fault_->tamper && id == at_) {
      fault_->tamper(value.front(), parameters_);
    }
    return value;
  }

 private:
  runtime::EncryptedEvaluator& inner_;
  const program::Program& program_;
  program::ValueId at_;
  const Fault* fault_;
  const params::CkksParameters& parameters_;
  Validator& validator_;
};

/// Runs a network, with a fault or without one, under the validations of a request. `keys` may be null: keys that fit what
/// is run are then made.
inline Report run_with_fault(const TestNetwork& net, const runtime::Bench& bench, const Request& request,
                             const Fault* fault, std::shared_ptr<const scheme::ckks::EvaluationKeys> keys = {}) {
  const auto checks = validations(net.model, request);
  const program::Program intended = program::with_validations(net.model.program, checks);
  const program::Program run =
      fault && fault->program ? program::with_validations(*fault->program, checks) : intended;
  program::ValueId at = 0;  // of the fault among the validations
  if (fault)
    for (program::ValueId id = 0, plain = 0; id < run.instructions.size(); ++id)
      if (!std::holds_alternative<program::Validate>(run.instructions[id].operation) && plain++ == fault->at) at = id;
  if (!keys || (fault && fault->program)) keys = bench.keys(run);
  const auto& inputs = fault && !fault->input.empty() ? fault->input : net.input;
  Validator validator(bench.context, bench.secret, intended, fault && fault->graph ? &*fault->graph : &net.graph, {}, inputs);
  const scheme::ckks::Evaluator evaluator(bench.context, keys);
  runtime::EncodedWeights weights(bench.context, run);
  weights.encode({}, 0, base::Progress::silent());
  std::vector<std::vector<double>> encrypted_inputs = inputs;
  for (std::size_t i = 0; i < encrypted_inputs.size(); ++i)
    encrypted_inputs[i] = program::in_units(net.model.client.inputs[i].units, std::move(encrypted_inputs[i]));
  const auto ciphertexts = bench.encrypt(run, encrypted_inputs);
  const runtime::Bootstrappers bootstrappers(bench.context, run);
  runtime::EncryptedEvaluator inner(bench.context, evaluator, run, weights, bootstrappers, ciphertexts);
  TamperedEvaluator reader(inner, run, at, fault, bench.context->parameters(), validator);
  program::execute(run, reader);
  return validator.report();
}

}  // namespace tacit::check
