#include "runtime/slots/executor.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "program/slots/key_manifest.h"
#include "program/slots/landing_rules.h"
#include "program/slots/validations.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "runtime/slots/placed_evaluator.h"
#include "runtime/slots/required_keys.h"

namespace tacit::runtime {

using program::ValueId;
using scheme::ckks::Ciphertext;
using slots::Instruction;

Executor::Executor(std::shared_ptr<const PreparedProgram> prepared,
                   std::shared_ptr<const scheme::ckks::EvaluationKeys> keys)
    : prepared_(std::move(prepared)), keys_(std::move(keys)) {
  const params::CkksParameters& parameters = prepared_->context()->parameters();
  if (keys_->parameters() != parameters.hash())
    throw base::KeyMismatch("the evaluation keys are of another parameter set than " + parameters.literal().name +
                            " of program '" + prepared_->program().name + "'");
  require_keys(slots::key_manifest(prepared_->program()), keys_->manifest());
}

void Executor::check_inputs(std::span<const CiphertextArray> arrays) const {
  const slots::Program& program = prepared_->program();
  const params::CkksParameters& parameters = prepared_->context()->parameters();
  const auto refuse = [&](const std::string& what) {
    throw base::InputError("program '" + program.name + "': " + what);
  };
  std::vector<const Instruction*> inputs;
  for (const Instruction& instruction : program.instructions)
    if (std::holds_alternative<slots::Input>(instruction.operation)) inputs.push_back(&instruction);
  if (arrays.size() != inputs.size())
    refuse(fmt::format("it has {} inputs and {} were given", inputs.size(), arrays.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Instruction& instruction = *inputs[i];
    const std::string& name = std::get<slots::Input>(instruction.operation).name;
    if (arrays[i].size() != static_cast<std::size_t>(instruction.layout.ciphertexts()))
      refuse(fmt::format("input '{}' has {} ciphertexts and {} are needed", name, arrays[i].size(),
                         instruction.layout.ciphertexts()));
    for (const Ciphertext& ciphertext : arrays[i]) {
      if (ciphertext.parameters != parameters.hash())
        throw base::KeyMismatch("input '" + name + "' is encrypted under another parameter set than " +
                                parameters.literal().name + " of program '" + program.name + "'");
      if (ciphertext.level < instruction.level || ciphertext.level > parameters.max_level())
        refuse(fmt::format("input '{}' is at level {} and the program needs level {}", name, ciphertext.level,
                           instruction.level));
      if (!slots::same_scale(ciphertext.scale, instruction.scale))
        refuse(fmt::format("input '{}' has scale 2^{:.3f} and the program needs 2^{:.3f}", name,
                           std::log2(ciphertext.scale), std::log2(instruction.scale)));
    }
  }
}

namespace {

/// The inputs as all ranks name them; only rank 0 has arrays.
std::vector<program::ArrayPtr> placed_inputs(const slots::Program& program, const PlacedEvaluator& evaluator,
                                             const std::vector<program::ArrayPtr>& arrays) {
  std::vector<program::ArrayPtr> placed;
  for (const Instruction& instruction : program.instructions)
    if (std::holds_alternative<slots::Input>(instruction.operation))
      placed.push_back(
          evaluator.from_rank_0(instruction.layout.ciphertexts(), arrays.empty() ? nullptr : arrays[placed.size()]));
  return placed;
}

}  // namespace

RunResult Executor::run(std::span<const CiphertextArray> inputs, Observer* observer, base::Progress& progress) const {
  const slots::Program& program = prepared_->program();
  if (observer == nullptr && slots::has_validations(program))
    throw base::InputError(
        "program '" + program.name +
        "': it contains validations, which only tacit validate carries out, with the secret key; compile it without");
  Communicator* const ranks = prepared_->ranks();
  const bool gives_inputs = ranks == nullptr || ranks->rank() == 0;
  if (gives_inputs) check_inputs(inputs);
  prepared_->encode();
  progress.begin("evaluate", program.instructions.size());
  std::vector<program::ArrayPtr> arrays;
  for (const CiphertextArray& input : inputs) arrays.push_back(borrowed(input));
  EncryptedEvaluator local(prepared_->context(), keys_, &prepared_->bootstrappers());
  std::optional<PlacedEvaluator> placed;
  if (ranks != nullptr) {
    placed.emplace(local, *ranks);
    arrays = placed_inputs(program, *placed, arrays);
  }
  slots::Evaluator& evaluator = placed ? static_cast<slots::Evaluator&>(*placed) : local;
  RunResult result;
  auto start = std::chrono::steady_clock::now();
  const slots::Watch after_each = [&](ValueId id, program::ArrayPtr& value,
                                      std::span<const program::ArrayPtr> operands) {
    result.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (observer != nullptr) observer->carried_out(id, program.value(id), operands, value);
    progress.advance();
    start = std::chrono::steady_clock::now();
  };
  for (const program::ArrayPtr& output :
       slots::execute(program, evaluator, prepared_->weights(), std::move(arrays), after_each)) {
    const program::ArrayPtr whole = placed ? placed->to_rank_0(output) : output;
    if (!whole) continue;
    CiphertextArray& ciphertexts = result.outputs.emplace_back();
    for (const auto& one : ciphertexts_of(whole)) ciphertexts.push_back(*one);
  }
  progress.end();
  return result;
}

}  // namespace tacit::runtime
