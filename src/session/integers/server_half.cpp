#include "session/server_half.h"

#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "runtime/communicator.h"
#include "runtime/description.h"
#include "runtime/integers/compiled_integers.h"
#include "runtime/integers/integer_executor.h"
#include "runtime/integers/integer_files.h"
#include "runtime/integers/ranked_integers.h"
#include "session/ranked_evaluation.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

using runtime::SampleReader;
using scheme::tfhe::LweCiphertexts;

/// Expanded.
using KeysOnIntegers = LoadedKeysOf<runtime::IntegerKeys>;

class ServerHalfOnIntegers final : public ServerHalf {
 public:
  ServerHalfOnIntegers(const std::filesystem::path& file, const base::MemoryBudget& memory, const ParameterCheck& check)
      : memory_(memory) {
    runtime::IntegerServerModel half = runtime::load_integer_server_model(file);
    context_ = scheme::tfhe::Context::make(params::TfheParameters::check(half.literal));
    const params::TfheParameters& parameters = context_->parameters();
    check(parameters.identity());
    memory.require("keys, tables and ciphertexts of model '" + half.name + "' need",
                   runtime::memory_need(half.program, parameters));
    program_ = std::move(half.program);
    input_names_ = program::names_of<integers::Input>(program_);
    output_names_ = program::names_of<integers::Output>(program_);
    sizes_ = sample_sizes();
    model_ = {.name = half.name,
              .binding = {.model = half.id, .parameters = parameters.hash(), .key_set = {}},
              .root = half.root,
              .scheme = runtime::ArtefactScheme::tfhe,
              .parameters = parameters.identity(),
              .key_bytes = static_cast<std::uint64_t>(runtime::key_bytes(parameters))};
  }

  std::shared_ptr<const LoadedKeys> load_keys(const std::filesystem::path& file) const override {
    runtime::Provenance found;
    const auto keys = std::make_shared<const runtime::IntegerKeys>(
        context_, runtime::load_tfhe_evaluation_keys(file, *context_, &model_.binding.model, found),
        runtime::world().size() > 1);
    return std::make_shared<const KeysOnIntegers>(found, file, keys, keys->bytes());
  }

  FoundInputs inputs_of(const std::filesystem::path& file) const override { return found(open(file), sizes_); }

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

  std::unique_ptr<StartedEvaluation> start(const LoadedKeys& keys, const std::filesystem::path& input,
                                           const std::filesystem::path& output) override {
    return std::make_unique<Started>(*this, keys, input, output);
  }

  EvaluatedInputs evaluate(const LoadedKeys& loaded, const EvaluatedFiles& files, base::Progress& progress) override {
    // Ranks, and runs that are kept on their way, have a program of their own; others share one.
    if (runtime::world().size() == 1 && files.checkpoints.empty())
      return *start(loaded, files.input, files.output)->go_on(loaded, progress, [] { return false; });
    const auto& keys = dynamic_cast<const KeysOnIntegers&>(loaded);
    const SampleReader inputs = open(files.input);
    const std::vector<base::Digest> questions = questions_of(inputs, keys);
    runtime::SampleWriter outputs = results_file(files.output, inputs);
    const std::optional<runtime::Checkpoints> checkpoints = checkpoints_of(files, inputs, keys);
    const integers::Program program = this->program();
    runtime::RankedIntegers ranked(
        runtime::world(), context_, program, keys.keys, inputs.samples(),
        runtime::PrepareOptions{.memory = memory_, .key_bytes = keys.bytes(), .progress = &progress}, checkpoints);
    EvaluatedInputs done{.receipt = {}, .inputs = inputs.samples(), .seconds = 0};
    done.seconds = run_in_rounds(
                       ranked, inputs, progress, [&](std::size_t i) { return sample(inputs, i, program); },
                       [&](std::size_t i, const runtime::IntegerRunResult& result) {
                         outputs.add(pieces(result), questions[i]);
                       }) /
                   static_cast<double>(done.inputs);
    const base::Digest output = outputs.finish();
    if (checkpoints) checkpoints->remove(inputs.samples());
    done.receipt = receipt(keys, inputs.root(), output);
    return done;
  }

 private:
  class Started final : public StartedEvaluation {
   public:
    Started(ServerHalfOnIntegers& half, const LoadedKeys& keys, const std::filesystem::path& input,
            const std::filesystem::path& output)
        : half_(half),
          inputs_(half.open(input)),
          questions_(questions_of(inputs_, keys)),
          outputs_(half.results_file(output, inputs_)),
          keys_(keys.provenance().root) {}

    std::optional<EvaluatedInputs> go_on(const LoadedKeys& loaded, base::Progress& progress,
                                         const std::function<bool()>& pause) override {
      require_keys_of_start(keys_, loaded);
      const auto& keys = dynamic_cast<const KeysOnIntegers&>(loaded);
      // What one evaluation needs was found to fit when the model was read.
      half_.prepare({}, keys.bytes(), progress);
      const runtime::IntegerExecutor executor = runtime::RunsOnIntegers::executor(half_.prepared_, keys.keys);
      const std::size_t inputs = inputs_.samples();
      if (next_ == 0) progress.begin("evaluating", inputs);
      while (next_ < inputs) {
        const std::vector<LweCiphertexts> sample = half_.sample(inputs_, next_, executor.prepared().program());
        const Stopwatch watch;
        const runtime::IntegerRunResult result = executor.run(sample, nullptr, progress);
        seconds_ += watch.seconds() / static_cast<double>(inputs);
        outputs_.add(half_.pieces(result), questions_[next_]);
        progress.advance(1);
        if (++next_ < inputs && pause()) return {};
      }
      const base::Digest output = outputs_.finish();
      progress.end();
      return EvaluatedInputs{
          .receipt = half_.receipt(loaded, inputs_.root(), output), .inputs = inputs, .seconds = seconds_};
    }

   private:
    ServerHalfOnIntegers& half_;
    const SampleReader inputs_;
    const std::vector<base::Digest> questions_;
    runtime::SampleWriter outputs_;
    const base::Digest keys_;
    std::size_t next_ = 0;  // sample
    double seconds_ = 0;
  };

  SampleSizes sample_sizes() const {
    SampleSizes sizes;
    for (const integers::Instruction& made : program_.instructions) {
      const std::uint64_t count = integers::elements(made);
      if (std::holds_alternative<integers::Input>(made.operation)) {
        sizes.least += sizeof(std::uint64_t) + scheme::tfhe::seeded_ciphertexts_bytes(count);
        sizes.most += sizeof(std::uint64_t) + scheme::tfhe::packed_ciphertexts_bytes(*context_, count);
      } else if (std::holds_alternative<integers::Output>(made.operation))
        sizes.results += sizeof(std::uint64_t) + scheme::tfhe::ciphertexts_bytes(*context_, count);
    }
    return sizes;
  }

  runtime::SampleWriter results_file(const std::filesystem::path& file, const SampleReader& inputs) const {
    return {file,
            runtime::ArtefactScheme::tfhe,
            {runtime::CiphertextRole::results, inputs.head().binding, output_names_, inputs.batched()}};
  }

  /// The ciphertexts of one input. Throws InputError naming the file.
  std::vector<LweCiphertexts> sample(const SampleReader& inputs, std::size_t i,
                                     const integers::Program& program) const {
    std::vector<LweCiphertexts> sample;
    runtime::parsing(inputs.name(), [&] {
      sample = runtime::expand_inputs(*context_, program, runtime::read_inputs(inputs, i, *context_));
    });
    return sample;
  }

  runtime::SampleWriter::Pieces pieces(const runtime::IntegerRunResult& result) const {
    return runtime::pieces_of(*context_, std::span<const LweCiphertexts>(result.outputs));
  }

  integers::Program program() {
    const std::lock_guard lock(mutex_);
    return prepared_ ? prepared_->program() : program_;
  }

  SampleReader open(const std::filesystem::path& file) const {
    SampleReader inputs = runtime::open_samples(file, *context_, runtime::CiphertextRole::inputs);
    if (inputs.head().names != input_names_ || inputs.batched().batch != 1)
      throw base::InputError(file.string() +
                             " holds other tensors than the network's inputs; give the file that encrypt wrote");
    require_sizes(inputs, sizes_);
    return inputs;
  }

  base::MemoryBudget memory_;
  scheme::tfhe::ContextPtr context_;
  std::vector<std::string> input_names_, output_names_;
  SampleSizes sizes_;
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
