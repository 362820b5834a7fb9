#include "app/api/integers/model_on_integers.h"
#include "app/api/memory.h"
#include "app/api/simulation.h"
#include "base/parallel.h"
#include "program/integers/clear_program.h"
#include "session/owner/integers/engines.h"
#include "session/owner/integers/plan.h"
#include "session/owner/integers/validation.h"
#include "session/owner/plan_text.h"

namespace tacit {
namespace {

void require_integers(const ValidationOptions& options) {
  const ValidationOptions defaults;
  if (options.operators != defaults.operators || options.epsilon != defaults.epsilon || options.strict ||
      options.end_to_end || options.fail_fast || !options.secret.empty())
    throw InputError(
        "validate: on integers sums and lookups are compared exactly, with fresh keys; leave operators, epsilon, "
        "strict, end_to_end, fail_fast and secret at their defaults");
}

struct OriginOnIntegers final : detail::Origin {
  explicit OriginOnIntegers(session::IntegerCompilation of) : compilation(std::move(of)) {}

  void add_operations(Plan& plan) const override {
    const nlohmann::ordered_json json = session::integer_plan_json(compilation, base::thread_limit());
    plan.text = session::plan_text(json) + "\n" + session::instructions_text(json);
    plan.json = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  std::vector<Tensors> simulate(std::span<const Tensors> inputs, Progress& progress) const override {
    const integers::ClearProgram reading(compilation.model.program);
    return app::api::answers_of(*session::make_simulated_integer_engine(compilation.model, reading),
                                compilation.model.parts.before, inputs, 1, progress);
  }

  std::unique_ptr<session::CompiledNetwork> network() const override {
    return session::network_on_integers(compilation);
  }

  Validation validate(std::span<const Tensors> samples, const ValidationOptions& options,
                      Progress& progress) const override {
    require_integers(options);
    std::vector<std::vector<graph::Tensor>> tensors;
    for (const Tensors& sample : samples)
      tensors.push_back(sample_of(compilation.model.parts.before, sample, "an input"));
    const session::IntegerValidation found =
        session::validate_integers(compilation.model, tensors, app::api::work_budget(options.memory_bytes), progress);
    Validation validation;
    for (const check::IntegerResult& result : found.operators) {
      ValidatedOperator& one = validation.operators.emplace_back();
      one.node = result.node;
      one.operators = result.operation;
      one.failed = result.failures > 0;
      one.index = static_cast<std::int64_t>(result.first);
      one.cause = one.failed ? check::name(result.cause) : "none";
      one.moved = static_cast<std::int64_t>(result.moved);
      one.noise_share = result.noise_share;
    }
    validation.failed = found.failed();
    validation.text = session::integer_validation_text(found);
    validation.json =
        session::integer_validation_json(found).dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
    return validation;
  }

  DryRun dry_run() const override {
    throw InputError("dry_run: levels, scales and ranges belong to slots; a network on integers has none of them");
  }

  session::IntegerCompilation compilation;
};

}  // namespace

std::shared_ptr<const detail::Origin> OnIntegers::origin(Compilation compilation) {
  return std::make_shared<const OriginOnIntegers>(std::move(compilation));
}

}  // namespace tacit
