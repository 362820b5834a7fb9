#include "session/integers/evaluation.h"

#include <memory>
#include <set>
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

}  // namespace

runtime::Receipt evaluate_on_integers(const EvaluationFiles& files, const base::MemoryBudget& memory,
                                      const ParameterCheck& check, base::Progress& progress, Evaluation& done,
                                      WrittenFiles& written) {
  if (!files.checkpoints.empty())
    throw base::InputError("--checkpoint: evaluations on integers (--scheme tfhe) are not kept on their way yet");
  runtime::IntegerServerModel model = runtime::load_integer_server_model(files.model);
  const runtime::IntegerModelHead head = model;  // the program goes where it is prepared
  const auto context = scheme::tfhe::Context::make(params::TfheParameters::check(model.literal));
  const params::TfheParameters& parameters = context->parameters();
  check(parameters.identity());
  memory.require("keys, tables and ciphertexts of model '" + model.name + "' need",
                 runtime::memory_need(model.program, parameters));
  progress.begin("reading keys", 0);
  runtime::Provenance of_keys;
  const auto evaluator = std::make_shared<const scheme::tfhe::Evaluator>(
      context, runtime::load_tfhe_evaluation_keys(files.keys, *context, &model.id, of_keys));
  progress.end();
  const SampleReader inputs = runtime::open_samples(files.input, *context, runtime::CiphertextRole::inputs);
  runtime::require_same_keys(of_keys, files.keys.string(), inputs.head().binding, files.input.string());
  if (inputs.head().names != integers::input_names(model.program) || inputs.batched().batch != 1)
    throw base::InputError(files.input.string() +
                           " holds other tensors than the network's inputs; give the file that encrypt wrote");
  runtime::SampleWriter outputs(files.output, runtime::ArtefactScheme::tfhe,
                                {runtime::CiphertextRole::results, inputs.head().binding,
                                 integers::output_names(model.program), inputs.batched()});
  done.model = model.name;
  done.security_bits = parameters.security_bits();
  done.inputs = inputs.samples();
  done.key_bytes = evaluator->bootstrap_key_bytes() + evaluator->key_switch_key_bytes();
  const runtime::IntegerExecutor executor(
      std::make_shared<const runtime::PreparedIntegers>(context, std::move(model.program)), evaluator);
  const std::vector<base::Digest> questions = inputs.digests();
  if (std::set<base::Digest>(questions.begin(), questions.end()).size() != questions.size())
    throw base::InputError(files.input.string() + " holds the same input twice; encrypt each for itself");
  progress.begin("evaluating", done.inputs);
  for (std::size_t i = 0; i < inputs.samples(); ++i) {
    std::vector<LweCiphertexts> sample;
    runtime::parsing(files.input, [&] {
      sample =
          runtime::expand_inputs(*context, executor.prepared().program(), runtime::read_inputs(inputs, i, *context));
    });
    const Stopwatch watch;
    const runtime::IntegerRunResult result = executor.run(sample, nullptr, progress);
    done.seconds += watch.seconds() / static_cast<double>(done.inputs);
    outputs.add(runtime::pieces_of(*context, std::span<const LweCiphertexts>(result.outputs)), questions[i]);
    progress.advance(1);
  }
  const base::Digest output = outputs.finish();
  written.add(files.output);
  progress.end();
  return {.version = TACIT_VERSION,
          .parameters = parameters.hash(),
          .model_id = head.id,
          .model = head.root,
          .keys = of_keys.root,
          .input = inputs.root(),
          .output = output};
}

}  // namespace tacit::session
