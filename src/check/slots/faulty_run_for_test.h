#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "check/slots/faults_for_test.h"
#include "check/slots/insertion.h"
#include "check/slots/validator.h"
#include "program/slots/validations.h"
#include "runtime/slots/encoded_weights.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "runtime/slots/required_keys.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::check {

/// The report of a run, and the value of the executed program that goes wrong.
struct FaultyRun {
  Report report;
  program::ValueId at = 0;
};

inline bool suffice(const scheme::ckks::EvaluationKeys& keys, const slots::Program& program) {
  try {
    runtime::require_keys(slots::key_manifest(program), keys.manifest());
    return true;
  } catch (const base::InputError&) {
    return false;
  }
}

/// Runs a network, with or without a fault, with the validations of a request. If `keys` are null or lack a key for the
/// executed program, it makes others.
inline FaultyRun run_with_fault(const TestNetwork& net, const runtime::Bench& bench, const Request& request,
                                const Fault* fault, Mode mode = {},
                                std::shared_ptr<const scheme::ckks::EvaluationKeys> keys = {}) {
  const auto checks = validations(net.model, request);
  const slots::Program intended = slots::with_validations(net.model.program, checks);
  const slots::Program run = fault && fault->program ? slots::with_validations(*fault->program, checks) : intended;
  program::ValueId at = fault ? fault->at : 0;  // each validation follows after its value
  for (const program::Validate& check : checks)
    if (fault && check.value < fault->at) ++at;
  if (!keys || !suffice(*keys, run)) keys = bench.keys(run);
  const auto& inputs = fault && !fault->input.empty() ? fault->input : net.input;
  Validator validator(bench.context, bench.secret, intended,
                      fault && fault->graph ? &*fault->graph : &net.model.encrypted, mode, inputs);
  const runtime::Bootstrappers bootstrappers(bench.context, run);
  const auto evaluator = runtime::EncryptedEvaluator::make(bench.context, keys, &bootstrappers);
  runtime::EncodedWeights weights(run, evaluator->context(), *evaluator);
  weights.encode({}, 0, 0, base::Progress::silent());
  std::vector<std::vector<double>> encrypted_inputs = inputs;
  for (std::size_t i = 0; i < encrypted_inputs.size(); ++i)
    encrypted_inputs[i] = program::in_units(net.model.client.inputs[i].units, std::move(encrypted_inputs[i]));
  std::vector<program::ArrayPtr> arrays;
  for (const runtime::CiphertextArray& array : bench.encrypt(run, encrypted_inputs))
    arrays.push_back(runtime::array_of(array));
  const auto tamper_and_look = [&](program::ValueId id, program::ArrayPtr& value,
                                   std::span<const program::ArrayPtr> operands) {
    if (fault && fault->tamper && id == at) {
      runtime::CiphertextArray tampered;
      for (const auto& one : runtime::ciphertexts_of(value)) tampered.push_back(*one);
      fault->tamper(tampered, bench.context->parameters());
      value = runtime::array_of(tampered);
    }
    validator.carried_out(id, run.value(id), operands, value);
  };
  slots::execute(run, *evaluator, weights, arrays, tamper_and_look);
  return {validator.report(), at};
}

/// Counts the judgements of planted faults.
struct Tally {
  int planted = 0, found = 0, named = 0, explained = 0;
  std::string misses;

  void add(const Fault& fault, const FaultyRun& run) {
    const OperatorResult* first = run.report.first_failure();
    const bool at_place = first && first->value == run.at && first->node == fault.node && first->origin == fault.node;
    const bool right_cause = first && first->cause == fault.expected;
    ++planted;
    found += first ? 1 : 0;
    named += at_place ? 1 : 0;
    explained += right_cause ? 1 : 0;
    if (!at_place || !right_cause)
      misses += fmt::format(
          "{} at {} (%{}): {}\n", fault.name, fault.node, run.at,
          first ? fmt::format("%{} {}, {}", first->value, failure_text(*first), name(first->cause)) : "not found");
  }
};

}  // namespace tacit::check
