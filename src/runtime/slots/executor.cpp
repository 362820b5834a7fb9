#include "runtime/slots/executor.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "base/byte_stream.h"
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
  if (keys_->parameters != parameters.hash())
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

slots::Landing landing_of(const Instruction& instruction) { return {instruction.level, instruction.scale}; }

/// One run: where its values are, on one rank or on several, and where they are kept on the way.
class Run {
 public:
  Run(const PreparedProgram& prepared, std::shared_ptr<const scheme::ckks::EvaluationKeys> keys,
      std::span<const CiphertextArray> inputs, base::Progress& progress)
      : program_(prepared.program()),
        context_(prepared.context()),
        ranks_(prepared.ranks()),
        local_(EncryptedEvaluator::make(prepared.context(), std::move(keys), &prepared.bootstrappers(), progress)),
        placed_(ranks_ != nullptr ? PlacedEvaluator::make(*local_, *ranks_) : nullptr) {
    std::vector<program::ArrayPtr> arrays;
    for (const Instruction& instruction : program_.instructions)
      if (std::holds_alternative<slots::Input>(instruction.operation))
        arrays.push_back(on_ranks(instruction, inputs.empty() ? nullptr : borrowed(inputs[arrays.size()])));
    slots::Evaluator& evaluator = placed_ ? static_cast<slots::Evaluator&>(*placed_) : *local_;
    execution_.emplace(program_, evaluator, prepared.weights(), std::move(arrays));
  }

  bool leads() const { return ranks_ == nullptr || ranks_->rank() == 0; }
  slots::Execution& execution() { return *execution_; }
  /// Where one rank has all ciphertexts; null on the others. Collective.
  program::ArrayPtr whole(const program::ArrayPtr& array) { return placed_ ? placed_->to_rank_0(array) : array; }

  /// Goes on where a checkpoint says, if there is one. Collective.
  void resume(const KeptRun& kept, const base::Digest& input) {
    std::optional<RunState> state;
    if (leads()) state = kept.checkpoints->load(*context_, program_, kept.run, input);
    base::ByteWriter writer;
    if (state) {
      writer.u64(state->next);
      for (const auto& [id, array] : state->values) writer.u64(id);
    }
    const std::vector<std::byte> places = told(writer.take());
    if (places.empty()) return;
    base::ByteReader reader(places, "a checkpoint");
    const auto next = static_cast<ValueId>(reader.u64());
    std::vector<std::pair<ValueId, program::ArrayPtr>> values;
    while (reader.left() > 0) {
      const auto id = static_cast<ValueId>(reader.u64());
      values.emplace_back(
          id, on_ranks(program_.value(id), state ? array_of(state->values[values.size()].second) : nullptr));
    }
    execution_->resume(next, std::move(values));
  }

  /// After a layer: keeps the run, unless writing would take more than a twentieth of the time. Collective.
  void keep(const KeptRun& kept, const base::Digest& input) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point now = Clock::now();
    const bool due = now - kept_at_ >= 20 * keeping_ || execution_->done();
    if (told({static_cast<std::uint8_t>(due ? 1 : 0)}).front() == std::byte{0}) return;
    RunState state{execution_->next(), {}};
    for (const auto& [id, array] : execution_->alive()) {
      const program::ArrayPtr collected = whole(array);
      if (!collected) continue;
      CiphertextArray& copies = state.values.emplace_back(id, CiphertextArray()).second;
      for (const auto& one : ciphertexts_of(collected)) copies.push_back(*one);
    }
    if (leads()) kept.checkpoints->save(*context_, kept.run, input, state);
    kept_at_ = Clock::now();
    keeping_ = kept_at_ - now;
  }

 private:
  program::ArrayPtr on_ranks(const Instruction& instruction, program::ArrayPtr array) const {
    if (!placed_) return array;
    return placed_->from_rank_0(instruction.layout.ciphertexts(), array, landing_of(instruction));
  }
  /// What the leading rank says.
  std::vector<std::byte> told(const std::vector<std::uint8_t>& bytes) const {
    const auto view = std::as_bytes(std::span(bytes));
    std::vector<std::byte> message(view.begin(), view.end());
    if (ranks_ != nullptr) ranks_->broadcast(message);
    return message;
  }

  const slots::Program& program_;
  const scheme::ckks::ContextPtr context_;
  Communicator* const ranks_;
  const std::shared_ptr<EncryptedEvaluator> local_;
  const std::unique_ptr<PlacedEvaluator> placed_;
  std::optional<slots::Execution> execution_;
  std::chrono::steady_clock::time_point kept_at_{};
  std::chrono::steady_clock::duration keeping_{};
};

/// Whether a layer, which a node of the graph is, ends before an instruction.
bool layer_ends(const slots::Program& program, ValueId next) {
  return next == program.instructions.size() || program.value(next).node != program.value(next - 1).node;
}

}  // namespace

RunResult Executor::run(std::span<const CiphertextArray> inputs, Observer* observer, base::Progress& progress,
                        const KeptRun& kept) const {
  const slots::Program& program = prepared_->program();
  const bool leads = prepared_->ranks() == nullptr || prepared_->ranks()->rank() == 0;
  if (leads && observer == nullptr && slots::has_validations(program))
    throw base::InputError(
        "program '" + program.name +
        "': it contains validations, which only tacit validate carries out, with the secret key; compile it without");
  if (leads) check_inputs(inputs);
  prepared_->encode();
  progress.begin("evaluate", program.instructions.size());
  Run run(*prepared_, keys_, inputs, progress);
  base::Digest question{};
  if (kept.checkpoints != nullptr) {
    if (leads) question = digest_of(*prepared_->context(), inputs);
    run.resume(kept, question);
  }
  RunResult result;
  result.seconds.assign(run.execution().next(), 0.0);
  auto start = std::chrono::steady_clock::now();
  const slots::Watch after_each = [&](ValueId id, program::ArrayPtr& value,
                                      std::span<const program::ArrayPtr> operands) {
    result.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    const Instruction& instruction = program.value(id);
    if (prepared_->ranks() != nullptr && std::holds_alternative<slots::Validate>(instruction.operation)) {
      std::vector<program::ArrayPtr> collected;
      for (const program::ArrayPtr& operand : operands) collected.push_back(run.whole(operand));
      if (observer != nullptr) observer->carried_out(id, instruction, collected, value);
    } else if (observer != nullptr) {
      observer->carried_out(id, instruction, operands, value);
    }
    progress.advance();
    start = std::chrono::steady_clock::now();
  };
  while (!run.execution().done()) {
    run.execution().step(after_each);
    if (kept.checkpoints != nullptr && layer_ends(program, run.execution().next())) {
      run.keep(kept, question);
      start = std::chrono::steady_clock::now();
    }
  }
  for (const program::ArrayPtr& output : run.execution().take_outputs()) {
    const program::ArrayPtr whole = run.whole(output);
    if (!whole) continue;
    CiphertextArray& ciphertexts = result.outputs.emplace_back();
    for (const auto& one : ciphertexts_of(whole)) ciphertexts.push_back(*one);
  }
  progress.end();
  return result;
}

}  // namespace tacit::runtime
