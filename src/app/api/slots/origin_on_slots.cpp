#include "app/api/memory.h"
#include "app/api/simulation.h"
#include "app/api/slots/model_on_slots.h"
#include "check/slots/validation_run.h"
#include "program/slots/clear_program.h"
#include "session/owner/halves.h"
#include "session/owner/plan_text.h"
#include "session/owner/slots/plan.h"
#include "session/owner/validation_report.h"

namespace tacit {
namespace {

struct OriginOnSlots final : detail::Origin {
  explicit OriginOnSlots(session::Compilation of) : compilation(std::move(of)) {}

  void add_operations(Plan& plan) const override {
    const nlohmann::ordered_json json = session::plan_json(compilation);
    plan.text = session::plan_text(json) + "\n" + session::instructions_text(json);
    plan.json = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  std::vector<Tensors> simulate(std::span<const Tensors> inputs, Progress& progress) const override {
    const graph::CompiledModel& model = compilation.model;
    const slots::ClearProgram reading(model.program);
    return app::api::answers_of(*session::make_simulated_engine(compilation, reading), model.parts.before, inputs,
                                static_cast<std::size_t>(model.client.batch), progress);
  }

  std::unique_ptr<session::CompiledNetwork> network() const override {
    return session::network_on_slots(compilation, {});
  }

  Validation validate(std::span<const Tensors> samples, const ValidationOptions& options,
                      Progress& progress) const override {
    const graph::CompiledModel& compiled = compilation.model;
    check::Request request = check::parse_request(options.operators, options.epsilon);
    request.strict = options.strict;
    if (request.detail == program::Detail::network && compilation.graph.nodes.empty())
      throw InputError(
          "validate: a recorded computation has no operators of a model; ask for 'vector' or 'instruction'");
    std::vector<check::Sample> encryptable;
    for (const Tensors& sample : samples)
      encryptable.push_back(
          graph::numbers_of(graph::run_before(compiled.parts, sample_of(compiled.parts.before, sample, "an input"))));
    const base::MemoryBudget memory = app::api::work_budget(options.memory_bytes);
    const check::OwnerKeys keys = options.secret.empty()
                                      ? check::OwnerKeys::generate(compiled, progress, memory)
                                      : check::OwnerKeys::load(compiled, session::halves_of(compilation).server.id,
                                                               options.secret, options.evaluation);
    const check::Report report = check::run_validation(compiled, request, {options.end_to_end, options.fail_fast}, keys,
                                                       encryptable, {.memory = memory, .progress = &progress});
    Validation validation;
    for (const check::OperatorResult& r : report.operators)
      validation.operators.push_back({r.node, r.operators, r.worst_error, r.mean_error, r.tolerance, r.failed, r.index,
                                      r.encrypted, r.message, check::name(r.cause), r.origin});
    validation.failed = report.first_failure() != nullptr;
    validation.text = session::validation_text(report);
    validation.json = session::validation_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
    return validation;
  }

  DryRun dry_run() const override {
    const std::vector<check::DryValue> values = check::dry_run(compilation.model.program, compilation.model.parameters);
    const nlohmann::ordered_json json = session::dry_run_json(values);
    return {json["failed"].get<bool>(), session::dry_run_text(values),
            json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)};
  }

  session::Compilation compilation;
};

}  // namespace

std::shared_ptr<const detail::Origin> OnSlots::origin(Compilation compilation) {
  return std::make_shared<const OriginOnSlots>(std::move(compilation));
}

}  // namespace tacit
