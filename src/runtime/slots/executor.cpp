#include "runtime/slots/executor.h"

#include <fmt/format.h>

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
#include "runtime/slots/small_answers.h"

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

/// Where the values of one run are, on one rank or on several, and where they are kept on the way.
class SlotPlaces final : public RunPlaces {
 public:
  SlotPlaces(const PreparedProgram& prepared, std::shared_ptr<const scheme::ckks::EvaluationKeys> keys,
             base::Progress& progress, const KeptRun& kept, std::span<const CiphertextArray> inputs)
      : program_(prepared.program()),
        context_(prepared.context()),
        local_(EncryptedEvaluator::make(prepared.context(), std::move(keys), &prepared.bootstrappers(), progress)),
        placed_(prepared.ranks() != nullptr ? PlacedEvaluator::make(*local_, *prepared.ranks()) : nullptr),
        kept_(kept) {
    if (kept.checkpoints != nullptr && !inputs.empty()) question_ = digest_of(*context_, inputs);
  }

  slots::Evaluator& evaluator() { return placed_ ? static_cast<slots::Evaluator&>(*placed_) : *local_; }

  program::ArrayPtr whole(const program::ArrayPtr& array) override {
    return placed_ ? placed_->to_rank_0(array) : array;
  }

  program::ArrayPtr from_rank_0(ValueId id, const program::ArrayPtr& array) override {
    const Instruction& instruction = program_.value(id);
    if (!placed_) return array;
    return placed_->from_rank_0(instruction.layout.ciphertexts(), array, {instruction.level, instruction.scale});
  }

  std::optional<RunArrays> load() override {
    std::optional<RunState> state = kept_.checkpoints->load(*context_, program_, kept_.run, question_);
    if (!state) return std::nullopt;
    RunArrays arrays{state->next, {}};
    for (const auto& [id, ciphertexts] : state->values) arrays.values.emplace_back(id, array_of(ciphertexts));
    return arrays;
  }

  void save(const RunArrays& arrays) override {
    RunState state{arrays.next, {}};
    for (const auto& [id, array] : arrays.values) state.values.emplace_back(id, copied(array));
    kept_.checkpoints->save(*context_, kept_.run, question_, state);
  }

  static CiphertextArray copied(const program::ArrayPtr& array) {
    CiphertextArray copies;
    for (const auto& one : ciphertexts_of(array)) copies.push_back(*one);
    return copies;
  }

 private:
  const slots::Program& program_;
  const scheme::ckks::ContextPtr context_;
  const std::shared_ptr<EncryptedEvaluator> local_;
  const std::unique_ptr<PlacedEvaluator> placed_;
  const KeptRun kept_;
  base::Digest question_{};  ///< on the rank that has the inputs
};

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
  SlotPlaces places(*prepared_, keys_, progress, kept, inputs);
  std::vector<program::ArrayPtr> arrays;
  for (ValueId id = 0; id < program.instructions.size(); ++id)
    if (std::holds_alternative<slots::Input>(program.value(id).operation))
      arrays.push_back(places.from_rank_0(id, inputs.empty() ? nullptr : borrowed(inputs[arrays.size()])));
  const slots::Watch watch = [&](ValueId id, program::ArrayPtr& value, std::span<const program::ArrayPtr> operands) {
    const Instruction& instruction = program.value(id);
    if (prepared_->ranks() != nullptr && std::holds_alternative<slots::Validate>(instruction.operation)) {
      std::vector<program::ArrayPtr> collected;
      for (const program::ArrayPtr& operand : operands) collected.push_back(places.whole(operand));
      if (observer != nullptr) observer->carried_out(id, instruction, collected, value);
    } else if (observer != nullptr) {
      observer->carried_out(id, instruction, operands, value);
    }
    progress.advance();
  };
  const std::unique_ptr<program::Reading> reading =
      slots::reading_of(program, places.evaluator(), prepared_->weights());
  CarriedOut carried =
      carry_out(*reading, places, prepared_->ranks(), std::move(arrays), kept.checkpoints != nullptr, watch);
  RunResult result{{}, std::move(carried.seconds)};
  auto output = carried.outputs.begin();
  for (const Instruction& instruction : program.instructions) {
    if (!std::holds_alternative<slots::Output>(instruction.operation) || output == carried.outputs.end()) continue;
    if (*output)
      result.outputs.push_back(small_answer(*prepared_->context(), instruction.layout, SlotPlaces::copied(*output)));
    ++output;
  }
  progress.end();
  return result;
}

}  // namespace tacit::runtime
