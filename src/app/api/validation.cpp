#include <tacit/validation.h>

#include "app/api/memory.h"
#include "app/api/model_impl.h"
#include "check/slots/validation_run.h"
#include "session/owner/validation_report.h"

namespace tacit {

Validation validate(const CompiledModel& model, std::span<const Tensors> samples, const ValidationOptions& options) {
  if (!model.origin)
    throw InputError(
        "validate: this model was read from files, which do not say what it was compiled from; compile it here");
  const graph::CompiledModel& compiled = model.origin->compilation.model;
  check::Request request = check::parse_request(options.operators, options.epsilon);
  request.strict = options.strict;
  if (samples.empty()) throw InputError("validate: there is no sample to run; give at least one");
  if (request.detail == program::Detail::network && model.origin->compilation.graph.nodes.empty())
    throw InputError("validate: a recorded computation has no operators of a model; ask for 'vector' or 'instruction'");
  std::vector<check::Sample> encryptable;
  for (const Tensors& sample : samples)
    encryptable.push_back(
        graph::numbers_of(graph::run_before(compiled.parts, sample_of(compiled.parts.before, sample, "an input"))));
  base::Progress& progress = options.progress != nullptr ? *options.progress : base::Progress::silent();
  const base::MemoryBudget memory = app::api::work_budget(options.memory_bytes);
  const check::Report report = check::run_validation(compiled, request, {options.end_to_end, options.fail_fast},
                                                     check::OwnerKeys::generate(compiled, progress, memory),
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

}  // namespace tacit
