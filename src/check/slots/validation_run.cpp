#include "check/slots/validation_run.h"

#include <chrono>

#include "base/parallel.h"
#include "params/account.h"
#include "program/slots/key_manifest.h"
#include "program/slots/validations.h"
#include "runtime/communicator.h"
#include "runtime/slots/client.h"
#include "runtime/slots/key_store.h"
#include "runtime/slots/ranked_runs.h"

namespace tacit::check {

OwnerKeys OwnerKeys::generate(const graph::CompiledModel& model, base::Progress& progress,
                              const base::MemoryBudget& memory) {
  const params::KeyManifest manifest = slots::key_manifest(model.program);
  memory.require("the keys of model '" + model.program.name + "' need",
                 params::key_generation_bytes(model.parameters, manifest, base::thread_limit()));
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(model.parameters));
  const scheme::ckks::KeyGenerator generator(context);
  auto secret = std::make_shared<const scheme::ckks::SecretKey>(generator.secret_key());
  auto evaluation =
      std::make_shared<const scheme::ckks::EvaluationKeys>(generator.evaluation_keys(*secret, manifest, progress));
  return {context, std::move(secret), std::move(evaluation)};
}

OwnerKeys OwnerKeys::load(const graph::CompiledModel& model, const runtime::ModelId& id,
                          const std::filesystem::path& secret, const std::filesystem::path& evaluation) {
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(model.parameters));
  runtime::Provenance of_secret, of_evaluation;
  OwnerKeys keys{
      context,
      std::make_shared<const scheme::ckks::SecretKey>(runtime::load_secret_key(secret, context, &id, of_secret)),
      std::make_shared<const scheme::ckks::EvaluationKeys>(
          runtime::load_evaluation_keys(evaluation, context, &id, of_evaluation))};
  runtime::require_same_keys(of_secret, secret.string(), of_evaluation, evaluation.string());
  return keys;
}

Report run_validation(const graph::CompiledModel& model, const Request& request, Mode mode, const OwnerKeys& keys,
                      std::span<const Sample> samples, const runtime::PrepareOptions& options) {
  const slots::Program program = slots::with_validations(model.program, validations(model, request));
  auto client_model = std::make_shared<runtime::ClientModel>();
  client_model->name = model.program.name;
  client_model->literal = model.parameters;
  client_model->interface = model.client;
  const runtime::Client client(std::move(client_model), keys.context, keys.secret);
  // All ranks share every run: the first of them has the secret key and compares.
  runtime::RankedRuns runs(runtime::world(), keys.context, program, keys.evaluation, 1, options);
  runs.encode();
  Report report;
  const auto batch = static_cast<std::size_t>(model.client.batch);
  for (std::size_t s = 0; s < samples.size(); s += batch) {
    const std::span<const Sample> run = samples.subspan(s, std::min(batch, samples.size() - s));
    const std::vector<std::vector<runtime::CiphertextArray>> encrypted{
        client.encrypt(run, runtime::QuestionForm::whole)};
    Validator validator(keys.context, *keys.secret, program, &model.encrypted, mode,
                        program::side_by_side(model.client, run));
    const auto start = std::chrono::steady_clock::now();
    bool stopped = false;
    try {
      runs.run(encrypted, s / batch, &validator,
               options.progress != nullptr ? *options.progress : base::Progress::silent());
    } catch (const ValidationFailed&) {  // reported, with what came before
      stopped = true;
    }
    Report one = validator.report();
    one.run_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.add(one, s);
    report.inputs += run.size();
    if (stopped) break;
  }
  return report;
}

}  // namespace tacit::check
