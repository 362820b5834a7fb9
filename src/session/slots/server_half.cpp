#include "session/server_half.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "program/slots/key_manifest.h"
#include "program/slots/memory_plan.h"
#include "program/slots/trace.h"
#include "runtime/communicator.h"
#include "runtime/compiled_model.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/key_store.h"
#include "runtime/slots/ranked_runs.h"
#include "runtime/slots/required_keys.h"
#include "runtime/slots/small_answers.h"
#include "runtime/slots/weight_bytes.h"
#include "scheme/ckks/serialize.h"
#include "session/ranked_evaluation.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

using KeysOnSlots = LoadedKeysOf<scheme::ckks::EvaluationKeys>;

class ServerHalfOnSlots final : public ServerHalf {
 public:
  ServerHalfOnSlots(const std::filesystem::path& file, const base::MemoryBudget& memory, const ParameterCheck& check)
      : memory_(memory) {
    runtime::ServerModel half = runtime::load_server_model(file);
    context_ = scheme::ckks::Context::make(params::CkksParameters::check(half.literal));
    const params::ParameterIdentity parameters = context_->parameters().identity();
    check(parameters);
    program_ = std::move(half.program);
    manifest_ = slots::key_manifest(program_);
    input_names_ = program::names_of<slots::Input>(program_);
    output_names_ = program::names_of<slots::Output>(program_);
    sizes_ = sample_sizes();
    const params::Account account(half.literal);
    const double key_bytes = params::key_bytes(half.literal, manifest_);
    const double beside_weights = key_bytes + slots::value_bytes(program_, account, base::thread_limit()) +
                                  slots::transform_bytes(program_, account);
    memory.require("keys, ciphertexts, transforms and the largest weights of model '" + half.name + "' need",
                   beside_weights + largest_weights(memory, beside_weights));
    model_ = {.name = half.name,
              .binding = {.model = half.id, .parameters = parameters.hash, .key_set = {}},
              .root = half.root,
              .scheme = runtime::ArtefactScheme::ckks,
              .parameters = parameters,
              .key_bytes = static_cast<std::uint64_t>(key_bytes)};
  }

  std::shared_ptr<const LoadedKeys> load_keys(const std::filesystem::path& file) const override {
    runtime::Provenance found;
    const auto keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
        runtime::load_evaluation_keys(file, context_, &model_.binding.model, found));
    runtime::require_keys(manifest_, keys->manifest());
    return std::make_shared<const KeysOnSlots>(found, file, keys, keys->bytes());
  }

  FoundInputs inputs_of(const std::filesystem::path& file) const override { return found(open(file), sizes_); }

  std::uint64_t prepare(const Capacity& capacity, std::uint64_t key_bytes, base::Progress& progress) override {
    const std::lock_guard lock(mutex_);
    if (!prepared_) {
      const auto prepared =
          std::make_shared<const runtime::PreparedProgram>(context_, std::move(program_),
                                                           runtime::PrepareOptions{.memory = capacity.memory,
                                                                                   .clients = capacity.evaluations,
                                                                                   .key_bytes = key_bytes,
                                                                                   .progress = &progress});
      prepared->encode();
      prepared_ = prepared;
    }
    const runtime::MemoryUse use = prepared_->memory();
    return use.peak() - use.keys;
  }

  std::unique_ptr<StartedEvaluation> start(const LoadedKeys& keys, const std::filesystem::path& input,
                                           const std::filesystem::path& output) override {
    return std::make_unique<Started>(*this, keys, input, output);
  }

  EvaluatedInputs evaluate(const LoadedKeys& loaded, const EvaluatedFiles& files, base::Progress& progress) override {
    // Ranks, and runs that are kept on their way, have a program of their own; others share one.
    if (runtime::world().size() == 1 && files.checkpoints.empty())
      return *start(loaded, files.input, files.output)->go_on(loaded, progress, [] { return false; });
    const auto& keys = dynamic_cast<const KeysOnSlots&>(loaded);
    const runtime::CiphertextReader inputs = open(files.input);
    const std::vector<base::Digest> questions = questions_of(inputs, keys);
    runtime::CiphertextWriter outputs(files.output, context_, runtime::CiphertextRole::results, inputs.binding(),
                                      output_names_, inputs.batched());
    const std::optional<runtime::Checkpoints> checkpoints = checkpoints_of(files, inputs, keys);
    runtime::RankedRuns ranked(
        runtime::world(), context_, program(), keys.keys, inputs.samples(),
        runtime::PrepareOptions{.memory = memory_, .key_bytes = keys.bytes(), .progress = &progress}, checkpoints);
    ranked.encode();
    EvaluatedInputs done{.receipt = {}, .inputs = inputs.batched().inputs, .seconds = 0};
    done.seconds =
        run_in_rounds(
            ranked, inputs, progress, [&](std::size_t i) { return inputs.read(i); },
            [&](std::size_t i, const runtime::RunResult& result) { outputs.add(result.outputs, questions[i]); }) /
        static_cast<double>(done.inputs);
    const base::Digest output = outputs.finish();
    if (checkpoints) checkpoints->remove(inputs.samples());
    done.receipt = receipt(keys, inputs.root(), output);
    return done;
  }

 private:
  /// An evaluation on this machine alone.
  class Started final : public StartedEvaluation {
   public:
    Started(ServerHalfOnSlots& half, const LoadedKeys& keys, const std::filesystem::path& input,
            const std::filesystem::path& output)
        : half_(half),
          inputs_(half.open(input)),
          questions_(questions_of(inputs_, keys)),
          outputs_(output, half.context_, runtime::CiphertextRole::results, inputs_.binding(), half.output_names_,
                   inputs_.batched()),
          keys_(keys.provenance().root) {}

    std::optional<EvaluatedInputs> go_on(const LoadedKeys& loaded, base::Progress& progress,
                                         const std::function<bool()>& pause) override {
      require_keys_of_start(keys_, loaded);
      const auto& keys = dynamic_cast<const KeysOnSlots&>(loaded);
      half_.prepare({.memory = half_.memory_, .evaluations = 1}, keys.bytes(), progress);
      const runtime::Executor executor(half_.prepared_, keys.keys);
      const std::size_t inputs = inputs_.batched().inputs;
      if (next_ == 0) progress.begin("evaluating", inputs);
      while (next_ < inputs_.samples()) {
        const std::vector<runtime::CiphertextArray> sample = inputs_.read(next_);
        const Stopwatch watch;
        const runtime::RunResult result = executor.run(sample, nullptr, progress);
        seconds_ += watch.seconds() / static_cast<double>(inputs);
        outputs_.add(result.outputs, questions_[next_]);
        progress.advance(inputs_.batched().of(next_));
        if (++next_ < inputs_.samples() && pause()) return {};
      }
      const base::Digest output = outputs_.finish();
      progress.end();
      return EvaluatedInputs{
          .receipt = half_.receipt(loaded, inputs_.root(), output), .inputs = inputs, .seconds = seconds_};
    }

   private:
    ServerHalfOnSlots& half_;
    const runtime::CiphertextReader inputs_;
    const std::vector<base::Digest> questions_;
    runtime::CiphertextWriter outputs_;
    const base::Digest keys_;
    std::size_t next_ = 0;  // sample
    double seconds_ = 0;
  };

  /// The secret key puts a seed in place of one half of a fresh ciphertext. Inputs of programs that begin with a trace
  /// are thin. The level of a ciphertext is that of the program's input at least.
  SampleSizes sample_sizes() const {
    SampleSizes sizes;
    for (program::ValueId id = 0; id < program_.instructions.size(); ++id) {
      const slots::Instruction& made = program_.value(id);
      const auto bytes = [&](int level, bool seeded, int log_gap) {
        return runtime::array_bytes(static_cast<std::uint64_t>(made.layout.ciphertexts()),
                                    scheme::ckks::ciphertext_bytes(*context_, level, seeded, log_gap));
      };
      if (std::holds_alternative<slots::Input>(made.operation)) {
        sizes.least += bytes(made.level, true, slots::trace_after(program_, id));
        sizes.most += bytes(context_->chain().max_level(), false, 0);
      } else if (std::holds_alternative<slots::Output>(made.operation)) {
        sizes.results += bytes(made.level, false, runtime::answer_gap(context_->parameters(), made.layout));
      }
    }
    return sizes;
  }

  /// Bytes of the weights of one instruction, the largest, which are encoded when they are used. A bound that is known
  /// at once stands for them where it fits beside the rest, and never refuses what would fit. Ranks share the weights.
  double largest_weights(const base::MemoryBudget& memory, double rest) const {
    if (runtime::world().size() > 1) return 0;
    const std::uint64_t available = memory.available();
    const std::uint64_t room = available - std::min(static_cast<std::uint64_t>(rest), available);
    return static_cast<double>(runtime::WeightBytes(program_, *context_).largest(room).bytes);
  }

  slots::Program program() {
    const std::lock_guard lock(mutex_);
    return prepared_ ? prepared_->program() : program_;
  }

  runtime::CiphertextReader open(const std::filesystem::path& file) const {
    runtime::CiphertextReader inputs(file, context_, runtime::CiphertextRole::inputs);
    if (inputs.names() != input_names_)
      throw base::InputError(file.string() +
                             " holds other tensors than the network's inputs; give the file that encrypt wrote");
    require_sizes(inputs, sizes_);
    return inputs;
  }

  base::MemoryBudget memory_;
  scheme::ckks::ContextPtr context_;
  params::KeyManifest manifest_;
  std::vector<std::string> input_names_, output_names_;
  SampleSizes sizes_;
  std::mutex mutex_;        // of what follows
  slots::Program program_;  // until it is prepared
  std::shared_ptr<const runtime::PreparedProgram> prepared_;
};

}  // namespace

std::unique_ptr<ServerHalf> load_server_half_on_slots(const std::filesystem::path& file,
                                                      const base::MemoryBudget& memory, const ParameterCheck& check) {
  return std::make_unique<ServerHalfOnSlots>(file, memory, check);
}

}  // namespace tacit::session
