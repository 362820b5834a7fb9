#include <tacit/validation.h>

#include "app/api/model_impl.h"

namespace tacit {

Validation validate(const CompiledModel& model, std::span<const Tensors> samples, const ValidationOptions& options) {
  if (!model.origin)
    throw InputError(
        "validate: this model was read from files, which do not say what it was compiled from; compile it here");
  if (samples.empty()) throw InputError("validate: there is no sample to run; give at least one");
  return model.origin->validate(samples, options, options.progress != nullptr ? *options.progress : Progress::silent());
}

}  // namespace tacit
