#include "runtime/integers/integer_executor.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "runtime/integers/encrypted_integers.h"
#include "runtime/integers/integer_checkpoints.h"
#include "runtime/integers/integer_files.h"
#include "scheme/tfhe/check.h"
#include "scheme/tfhe/encryption.h"

namespace tacit::runtime {
namespace {

using integers::ValueId;
using scheme::tfhe::LweCiphertexts;

void require_no_more_than_inputs(const integers::Program& program, std::size_t tensors) {
  const auto inputs = static_cast<std::size_t>(std::ranges::count_if(
      program.instructions, [](const auto& made) { return std::holds_alternative<integers::Input>(made.operation); }));
  if (tensors > inputs) base::refuse("{} encrypted tensors for a program with {} inputs", tensors, inputs);
}

/// Where the values of one run are, on one rank or on several, and where they are kept on the way.
class IntegerPlaces final : public RunPlaces {
 public:
  IntegerPlaces(const PreparedIntegers& prepared, const scheme::tfhe::Evaluator& evaluator, base::Progress& progress,
                const KeptRun& kept, std::span<const LweCiphertexts> inputs)
      : prepared_(prepared), evaluator_(prepared, evaluator, progress), kept_(kept) {
    if (kept.checkpoints != nullptr && !inputs.empty()) question_ = digest_of(pieces_of(*prepared.context(), inputs));
  }

  EncryptedIntegers& evaluator() { return evaluator_; }

  program::ArrayPtr whole(const program::ArrayPtr& array) override { return evaluator_.to_rank_0(array); }

  program::ArrayPtr from_rank_0(ValueId id, const program::ArrayPtr& array) override {
    return evaluator_.from_rank_0(id, array ? EncryptedIntegers::ciphertexts_of(array) : nullptr);
  }

  std::optional<RunArrays> load() override {
    std::optional<IntegerRunState> state =
        kept_.checkpoints->load(*prepared_.context(), prepared_.program(), kept_.run, question_);
    if (!state) return std::nullopt;
    RunArrays arrays{state->next, {}};
    for (auto& [id, ciphertexts] : state->values)
      arrays.values.emplace_back(
          id, evaluator_.from_rank_0(id, std::make_shared<const LweCiphertexts>(std::move(ciphertexts))));
    return arrays;
  }

  void save(const RunArrays& arrays) override {
    IntegerRunState state{arrays.next, {}};
    for (const auto& [id, array] : arrays.values)
      state.values.emplace_back(id, *EncryptedIntegers::ciphertexts_of(array));
    kept_.checkpoints->save(*prepared_.context(), kept_.run, question_, state);
  }

 private:
  const PreparedIntegers& prepared_;
  EncryptedIntegers evaluator_;
  const KeptRun kept_;
  base::Digest question_{};  ///< on the rank that has the inputs
};

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

void IntegerExecutor::check_inputs(std::span<const LweCiphertexts> inputs) const {
  const integers::Program& program = prepared_->program();
  require_no_more_than_inputs(program, inputs.size());
  std::size_t next = 0;
  for (const integers::Instruction& made : program.instructions) {
    const auto* const input = std::get_if<integers::Input>(&made.operation);
    if (input == nullptr) continue;
    if (next == inputs.size() || inputs[next].count() != integers::elements(made))
      base::refuse("input '{}' has {} ciphertexts; expected {}", input->name,
                   next == inputs.size() ? 0 : inputs[next].count(), integers::elements(made));
    check(*prepared_->context(), inputs[next++], "run");
  }
}

IntegerRunResult IntegerExecutor::run(std::span<const LweCiphertexts> inputs, IntegerObserver* observer,
                                      base::Progress& progress, const KeptRun& kept) const {
  const integers::Program& program = prepared_->program();
  Communicator* const ranks = prepared_->ranks();
  if (ranks != nullptr && observer != nullptr) throw base::InternalError("ranks show no observer their ciphertexts");
  if (ranks == nullptr || ranks->rank() == 0) {
    if (observer == nullptr && program::count_of<program::Validate>(program.instructions) > 0)
      throw base::InputError("the program contains validations, which need the secret key");
    check_inputs(inputs);
  }
  IntegerPlaces places(*prepared_, *evaluator_, progress, kept, inputs);
  EncryptedIntegers& evaluator = places.evaluator();
  std::vector<program::ArrayPtr> arrays;
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    if (!std::holds_alternative<integers::Input>(program.value(id).operation)) continue;
    std::shared_ptr<const LweCiphertexts> given;  // refers to the caller's
    if (!inputs.empty()) given = std::shared_ptr<const LweCiphertexts>(given, &inputs[arrays.size()]);
    arrays.push_back(evaluator.from_rank_0(id, std::move(given)));
  }
  program::Watch watch;
  if (observer != nullptr)
    watch = [&](ValueId id, const program::ArrayPtr& value, std::span<const program::ArrayPtr>) {
      observer->value(id, value ? *EncryptedIntegers::ciphertexts_of(value) : LweCiphertexts());
    };
  progress.begin("looking up", evaluator.bootstraps());
  const std::unique_ptr<program::Reading> reading = integers::reading_of(program, evaluator);
  CarriedOut carried = carry_out(*reading, places, ranks, std::move(arrays), kept.checkpoints != nullptr, watch);
  IntegerRunResult result{{}, std::move(carried.seconds)};
  for (const program::ArrayPtr& output : carried.outputs)
    if (output) result.outputs.push_back(*EncryptedIntegers::ciphertexts_of(output));
  progress.end();
  return result;
}

}  // namespace tacit::runtime
