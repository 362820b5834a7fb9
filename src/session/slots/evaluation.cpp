#include "session/slots/evaluation.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "program/slots/key_manifest.h"
#include "program/slots/memory_plan.h"
#include "runtime/communicator.h"
#include "runtime/compiled_model.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/key_store.h"
#include "runtime/slots/ranked_runs.h"
#include "session/stopwatch.h"

namespace tacit::session {

runtime::Receipt evaluate_on_slots(const EvaluationFiles& files, const base::MemoryBudget& memory,
                                   const ParameterCheck& check, base::Progress& progress, Evaluation& done,
                                   WrittenFiles& written) {
  runtime::ServerModel model = runtime::load_server_model(files.model);
  const runtime::ModelHead head = model;  // the program goes where it is prepared
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(model.literal));
  check(context->parameters().identity());
  memory.require("keys and ciphertexts of model '" + model.name + "' need",
                 params::key_bytes(model.literal, slots::key_manifest(model.program)) +
                     slots::value_bytes(model.program, params::Account(model.literal), base::thread_limit()));
  progress.begin("reading keys", 0);
  runtime::Provenance of_keys;
  auto keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
      runtime::load_evaluation_keys(files.keys, context, &model.id, of_keys));
  progress.end();
  const runtime::CiphertextReader inputs(files.input, context, runtime::CiphertextRole::inputs);
  runtime::require_same_keys(of_keys, files.keys.string(), inputs.binding(), files.input.string());
  if (inputs.names() != slots::input_names(model.program))
    throw base::InputError(files.input.string() +
                           " holds other tensors than the network's inputs; give the file that encrypt wrote");

  runtime::CiphertextWriter outputs(files.output, context, runtime::CiphertextRole::results, inputs.binding(),
                                    slots::output_names(model.program), inputs.batched());
  done.model = model.name;
  done.security_bits = context->parameters().security_bits();
  done.inputs = inputs.batched().inputs;
  done.key_bytes = keys->bytes();
  const std::vector<base::Digest> questions = inputs.digests();
  if (std::set<base::Digest>(questions.begin(), questions.end()).size() != questions.size())
    throw base::InputError(files.input.string() + " holds the same input twice; encrypt each for itself");
  std::optional<runtime::Checkpoints> checkpoints;
  if (!files.checkpoints.empty())
    checkpoints.emplace(files.checkpoints,
                        runtime::Checkpoints::Evaluation{TACIT_VERSION, inputs.binding(), of_keys.root});
  runtime::RankedRuns runs(runtime::world(), context, std::move(model.program), std::move(keys), inputs.samples(),
                           {.memory = memory, .key_bytes = done.key_bytes, .progress = &progress}, checkpoints);
  runs.encode();
  progress.begin("evaluating", done.inputs);
  for (std::size_t first = 0; first < inputs.samples(); first += runs.at_once()) {
    std::vector<std::vector<runtime::CiphertextArray>> round;
    for (std::size_t i = first; i < std::min(first + runs.at_once(), inputs.samples()); ++i)
      round.push_back(inputs.read(i));
    const Stopwatch watch;
    const std::vector<runtime::RunResult> results = runs.run(round, first, nullptr, progress);
    done.seconds += watch.seconds() / static_cast<double>(done.inputs);
    for (std::size_t r = 0; r < results.size(); ++r) {
      outputs.add(results[r].outputs, questions[first + r]);
      progress.advance(inputs.batched().of(first + r));
    }
  }
  const base::Digest output = outputs.finish();
  written.add(files.output);
  if (checkpoints) checkpoints->remove(inputs.samples());
  progress.end();
  return {.version = TACIT_VERSION,
          .parameters = context->parameters().hash(),
          .model_id = head.id,
          .model = head.root,
          .keys = of_keys.root,
          .input = inputs.root(),
          .output = output};
}

}  // namespace tacit::session
