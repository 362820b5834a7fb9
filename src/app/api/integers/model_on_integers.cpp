#include "app/api/integers/model_on_integers.h"

#include <fmt/format.h>

#include "app/api/insecure.h"
#include "app/api/memory.h"
#include "app/api/planned.h"
#include "runtime/integers/prepared_integers.h"
#include "scheme/tfhe/evaluator.h"
#include "session/owner/plan_reading.h"
#include "session/owner/plan_text.h"

namespace tacit {
namespace {

params::TfheParameters permitted(const params::TfheLiteral& literal, InsecureParameters insecure) {
  params::TfheParameters checked = params::TfheParameters::check(literal);
  app::api::require_permitted(checked.identity(), insecure);
  return checked;
}

}  // namespace

scheme::tfhe::ContextPtr OnIntegers::context_of(const Literal& literal, InsecureParameters insecure) {
  return scheme::tfhe::Context::make(permitted(literal, insecure));
}

Plan OnIntegers::plan(const ClientModel& model, const params::TfheParameters& parameters) {
  Plan plan;
  plan.scheme = Scheme::tfhe;
  plan.security_bits = parameters.security_bits();
  plan.log_n = parameters.literal().log_polynomial;
  plan.log2_failure = parameters.literal().log2_failure;
  session::reading_plan(model.plan, [&](nlohmann::ordered_json json) {
    json["security_bits"] = plan.security_bits;
    json["parameters"] = nlohmann::ordered_json::parse(params::to_json(parameters.literal()));
    json["log2_failure"] = plan.log2_failure;
    plan.lookups = app::api::planned_count(json, "lookups");
    plan.bootstraps = app::api::planned_count(json, "bootstraps");
    app::api::read_common(json, plan);
    plan.text = session::plan_text(json);
  });
  return plan;
}

runtime::SampleReader OnIntegers::open_samples(const runtime::Source& source, const ContextPtr& context,
                                               runtime::CiphertextRole role) {
  runtime::SampleReader reader = runtime::open_samples(source, *context, role);
  if (reader.batched().batch != 1)
    throw KeyMismatch(source.name() + " holds several inputs a run, and a model on integers takes one");
  return reader;
}

std::shared_ptr<const runtime::PreparedIntegers> OnIntegers::prepare(const ServerModel& model,
                                                                     const ContextPtr& context,
                                                                     std::uint64_t memory_bytes, int clients,
                                                                     std::span<const ModelKeys>, Progress&) {
  const params::TfheParameters& parameters = context->parameters();
  const double of_a_client = runtime::key_bytes(parameters) + runtime::value_bytes(model.program, parameters);
  app::api::work_budget(memory_bytes)
      .require(fmt::format("keys, tables and ciphertexts of model '{}' for {} at once need", model.name, clients),
               runtime::memory_need(model.program, parameters) + (clients - 1) * of_a_client);
  return std::make_shared<const runtime::PreparedIntegers>(context, model.program);
}

runtime::IntegerExecutor OnIntegers::executor(const std::shared_ptr<const PreparedProgram>& prepared,
                                              const std::shared_ptr<const Keys>& keys) {
  return {prepared, std::make_shared<const scheme::tfhe::Evaluator>(prepared->context(), *keys)};
}

std::vector<scheme::tfhe::LweCiphertexts> OnIntegers::run(const Executor& executor, std::span<const Question> question,
                                                          Progress& progress) {
  const PreparedProgram& prepared = executor.prepared();
  return executor.run(runtime::expand_inputs(*prepared.context(), prepared.program(), question), nullptr, progress)
      .outputs;
}

}  // namespace tacit
