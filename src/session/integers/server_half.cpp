#include "session/server_half.h"

#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "runtime/description.h"
#include "runtime/integers/compiled_integers.h"
#include "runtime/integers/integer_executor.h"
#include "runtime/integers/integer_files.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

using runtime::SampleReader;
using scheme::tfhe::LweCiphertexts;

/// Expanded.
using KeysOnIntegers = LoadedKeysOf<scheme::tfhe::Evaluator>;

class ServerHalfOnIntegers final : public ServerHalf {
 public:
  ServerHalfOnIntegers(const std::filesystem::path& file, const base::MemoryBudget& memory,
                       const ParameterCheck& check) {
    runtime::IntegerServerModel half = runtime::load_integer_server_model(file);
    context_ = scheme::tfhe::Context::make(params::TfheParameters::check(half.literal));
    const params::TfheParameters& parameters = context_->parameters();
    check(parameters.identity());
    memory.require("keys, tables and ciphertexts of model '" + half.name + "' need",
                   runtime::memory_need(half.program, parameters));
    program_ = std::move(half.program);
    input_names_ = program::names_of<integers::Input>(program_);
    output_names_ = program::names_of<integers::Output>(program_);
    model_ = {.name = half.name,
              .binding = {.model = half.id, .parameters = parameters.hash(), .key_set = {}},
              .root = half.root,
              .scheme = runtime::ArtefactScheme::tfhe,
              .parameters = parameters.identity(),
              .key_bytes = static_cast<std::uint64_t>(runtime::key_bytes(parameters))};
  }

  std::shared_ptr<const LoadedKeys> load_keys(const std::filesystem::path& file) const override {
    runtime::Provenance found;
    const auto evaluator = std::make_shared<const scheme::tfhe::Evaluator>(
        context_, runtime::load_tfhe_evaluation_keys(file, *context_, &model_.binding.model, found));
    return std::make_shared<const KeysOnIntegers>(found, file, evaluator,
                                                  evaluator->bootstrap_key_bytes() + evaluator->key_switch_key_bytes());
  }

  runtime::Binding inputs_of(const std::filesystem::path& file) const override { return open(file).head().binding; }

  std::uint64_t prepare(const Capacity& capacity, std::uint64_t key_bytes, base::Progress&) override {
    const std::lock_guard lock(mutex_);
    if (!prepared_) {
      const params::TfheParameters& parameters = context_->parameters();
      shared_bytes_ = runtime::table_bytes(program_, parameters) + runtime::weight_bytes(program_) +
                      capacity.evaluations * runtime::value_bytes(program_, parameters);
      capacity.memory.require("keys, tables and ciphertexts of model '" + model_.name + "' need",
                              shared_bytes_ + capacity.evaluations * static_cast<double>(key_bytes));
      prepared_ = std::make_shared<const runtime::PreparedIntegers>(context_, std::move(program_));
    }
    return static_cast<std::uint64_t>(shared_bytes_);
  }

  EvaluatedInputs evaluate(const LoadedKeys& loaded, const EvaluatedFiles& files, base::Progress& progress) override {
    if (!files.checkpoints.empty())
      throw base::InputError("--checkpoint: evaluations on integers (--scheme tfhe) are not kept on their way yet");
    const auto& keys = dynamic_cast<const KeysOnIntegers&>(loaded);
    const SampleReader inputs = open(files.input);
    const std::vector<base::Digest> questions = questions_of(inputs, keys);
    runtime::SampleWriter outputs(
        files.output, runtime::ArtefactScheme::tfhe,
        {runtime::CiphertextRole::results, inputs.head().binding, output_names_, inputs.batched()});
    prepare({}, keys.bytes(), progress);  // what one evaluation needs was found to fit when the model was read
    const runtime::IntegerExecutor executor(prepared_, keys.keys);
    EvaluatedInputs done{.receipt = {}, .inputs = inputs.samples(), .seconds = 0};
    progress.begin("evaluating", done.inputs);
    for (std::size_t i = 0; i < inputs.samples(); ++i) {
      std::vector<LweCiphertexts> sample;
      runtime::parsing(files.input, [&] {
        sample = runtime::expand_inputs(*context_, executor.prepared().program(),
                                        runtime::read_inputs(inputs, i, *context_));
      });
      const Stopwatch watch;
      const runtime::IntegerRunResult result = executor.run(sample, nullptr, progress);
      done.seconds += watch.seconds() / static_cast<double>(done.inputs);
      outputs.add(runtime::pieces_of(*context_, std::span<const LweCiphertexts>(result.outputs)), questions[i]);
      progress.advance(1);
    }
    const base::Digest output = outputs.finish();
    progress.end();
    done.receipt = receipt(keys, inputs.root(), output);
    return done;
  }

 private:
  SampleReader open(const std::filesystem::path& file) const {
    SampleReader inputs = runtime::open_samples(file, *context_, runtime::CiphertextRole::inputs);
    if (inputs.head().names != input_names_ || inputs.batched().batch != 1)
      throw base::InputError(file.string() +
                             " holds other tensors than the network's inputs; give the file that encrypt wrote");
    return inputs;
  }

  scheme::tfhe::ContextPtr context_;
  std::vector<std::string> input_names_, output_names_;
  std::mutex mutex_;           // of what follows
  integers::Program program_;  // until it is prepared
  std::shared_ptr<const runtime::PreparedIntegers> prepared_;
  double shared_bytes_ = 0;
};

}  // namespace

std::unique_ptr<ServerHalf> load_server_half_on_integers(const std::filesystem::path& file,
                                                         const base::MemoryBudget& memory,
                                                         const ParameterCheck& check) {
  return std::make_unique<ServerHalfOnIntegers>(file, memory, check);
}

}  // namespace tacit::session
