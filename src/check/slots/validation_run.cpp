#include "check/slots/validation_run.h"

#include <chrono>

#include "program/slots/validations.h"
#include "runtime/slots/client.h"

namespace tacit::check {

OwnerKeys OwnerKeys::generate(const scheme::ckks::ContextPtr& context, const params::KeyManifest& manifest,
                              base::Progress& progress) {
  const scheme::ckks::KeyGenerator generator(context);
  auto secret = std::make_shared<const scheme::ckks::SecretKey>(generator.secret_key());
  auto evaluation =
      std::make_shared<const scheme::ckks::EvaluationKeys>(generator.evaluation_keys(*secret, manifest, progress));
  return {std::move(secret), std::move(evaluation)};
}

Report run_validation(const graph::CompiledModel& model, const Request& request, Mode mode,
                      const scheme::ckks::ContextPtr& context, const OwnerKeys& keys, std::span<const Sample> samples,
                      const runtime::PrepareOptions& options) {
  const slots::Program program = slots::with_validations(model.program, validations(model, request));
  auto client_model = std::make_shared<runtime::ClientModel>();
  client_model->name = model.program.name;
  client_model->literal = model.parameters;
  client_model->interface = model.client;
  const runtime::Client client(std::move(client_model), context, keys.secret);
  const auto prepared = std::make_shared<const runtime::PreparedProgram>(context, program, options);
  const runtime::Executor executor(prepared, keys.evaluation);
  prepared->encode();
  Report report;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const std::vector<runtime::CiphertextArray> encrypted = client.encrypt(samples[s]);
    Validator validator(context, *keys.secret, program, &model.encrypted, mode, samples[s]);
    const auto start = std::chrono::steady_clock::now();
    bool stopped = false;
    try {
      executor.run(encrypted, &validator, options.progress != nullptr ? *options.progress : base::Progress::silent());
    } catch (const ValidationFailed&) {  // reported, with what came before
      stopped = true;
    }
    Report one = validator.report();
    one.run_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.add(one, s);
    if (stopped) break;
  }
  return report;
}

}  // namespace tacit::check
