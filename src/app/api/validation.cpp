#include <tacit/validation.h>

#include "app/api/model_impl.h"

namespace tacit {
namespace {

void require_origin(const CompiledModel& model, const std::string& function) {
  if (!model.origin)
    throw InputError(function +
                     ": this model was read from files, which do not say what it was compiled from; compile it here");
}

}  // namespace

Validation validate(const CompiledModel& model, std::span<const Tensors> samples, const ValidationOptions& options) {
  require_origin(model, "validate");
  if (samples.empty()) throw InputError("validate: there is no sample to run; give at least one");
  if (options.secret.empty() != options.evaluation.empty())
    throw InputError(
        "validate: a secret key and evaluation keys go together: give both files of one key generation, or neither");
  return model.origin->validate(samples, options, options.progress != nullptr ? *options.progress : Progress::silent());
}

DryRun dry_run(const CompiledModel& model) {
  require_origin(model, "dry_run");
  return model.origin->dry_run();
}

}  // namespace tacit
