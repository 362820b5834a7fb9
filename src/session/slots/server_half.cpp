#include "session/server_half.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/build_info.h"
#include "base/error.h"
#include "base/parallel.h"
#include "program/slots/key_manifest.h"
#include "program/slots/memory_plan.h"
#include "runtime/communicator.h"
#include "runtime/compiled_model.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/key_store.h"
#include "runtime/slots/ranked_runs.h"
#include "runtime/slots/required_keys.h"
#include "runtime/slots/weight_bytes.h"
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

  runtime::Binding inputs_of(const std::filesystem::path& file) const override { return open(file).binding(); }

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

  EvaluatedInputs evaluate(const LoadedKeys& loaded, const EvaluatedFiles& files, base::Progress& progress) override {
    const auto& keys = dynamic_cast<const KeysOnSlots&>(loaded);
    const runtime::CiphertextReader inputs = open(files.input);
    const std::vector<base::Digest> questions = questions_of(inputs, keys);
    runtime::CiphertextWriter outputs(files.output, context_, runtime::CiphertextRole::results, inputs.binding(),
                                      output_names_, inputs.batched());
    std::optional<runtime::Checkpoints> checkpoints;
    if (!files.checkpoints.empty())
      checkpoints = {files.checkpoints, std::string(base::version()), inputs.binding(), keys.provenance().root};
    // Ranks, and runs that are kept on their way, have a program of their own; others share one.
    std::optional<runtime::RankedRuns> ranked;
    std::optional<runtime::Executor> alone;
    if (runtime::world().size() > 1 || checkpoints) {
      ranked.emplace(runtime::world(), context_, program(), keys.keys, inputs.samples(),
                     runtime::PrepareOptions{.memory = memory_, .key_bytes = keys.bytes(), .progress = &progress},
                     checkpoints);
      ranked->encode();
    } else {
      prepare({.memory = memory_, .evaluations = 1}, keys.bytes(), progress);
      alone.emplace(prepared_, keys.keys);
    }
    const std::size_t at_once = ranked ? ranked->at_once() : 1;
    EvaluatedInputs done{.receipt = {}, .inputs = inputs.batched().inputs, .seconds = 0};
    progress.begin("evaluating", done.inputs);
    for (std::size_t first = 0; first < inputs.samples(); first += at_once) {
      std::vector<std::vector<runtime::CiphertextArray>> round;
      for (std::size_t i = first; i < std::min(first + at_once, inputs.samples()); ++i) round.push_back(inputs.read(i));
      const Stopwatch watch;
      std::vector<runtime::RunResult> results;
      if (ranked)
        results = ranked->run(round, first, nullptr, progress);
      else
        results.push_back(alone->run(round.front(), nullptr, progress));
      done.seconds += watch.seconds() / static_cast<double>(done.inputs);
      for (std::size_t r = 0; r < results.size(); ++r) {
        outputs.add(results[r].outputs, questions[first + r]);
        progress.advance(inputs.batched().of(first + r));
      }
    }
    const base::Digest output = outputs.finish();
    if (checkpoints) checkpoints->remove(inputs.samples());
    progress.end();
    done.receipt = receipt(keys, inputs.root(), output);
    return done;
  }

 private:
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
    return inputs;
  }

  base::MemoryBudget memory_;
  scheme::ckks::ContextPtr context_;
  params::KeyManifest manifest_;
  std::vector<std::string> input_names_, output_names_;
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
