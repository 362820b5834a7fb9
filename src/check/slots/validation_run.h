#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "check/result.h"
#include "check/slots/insertion.h"
#include "check/slots/validator.h"
#include "graph/compile.h"
#include "graph/graph.h"
#include "runtime/binding.h"
#include "runtime/slots/executor.h"
#include "scheme/ckks/keys.h"

namespace tacit::check {

/// The keys of one owner, including the secret key.
struct OwnerKeys {
  scheme::ckks::ContextPtr context;
  std::shared_ptr<const scheme::ckks::SecretKey> secret;
  std::shared_ptr<const scheme::ckks::EvaluationKeys> evaluation;
  /// Makes fresh keys for a model. Throws InputError if they do not fit the budget. Throws Cancelled.
  static OwnerKeys generate(const graph::CompiledModel& model, base::Progress& progress = base::Progress::silent(),
                            const base::MemoryBudget& memory = {});
  /// Loads the keys of one key generation for the model with this id. Throws as the loaders of
  /// runtime/slots/key_store.h do.
  static OwnerKeys load(const graph::CompiledModel& model, const runtime::ModelId& id,
                        const std::filesystem::path& secret, const std::filesystem::path& evaluation);
};

/// One sample: a tensor for each input of a program.
using Sample = std::vector<std::vector<double>>;

/// Encrypts the samples, a batch at a time, and runs the program with the validations of `request` on each batch.
/// Reports the worst result of all samples by operator. With mode.fail_fast the run ends at the first failure, and the
/// report ends there. Throws InputError for inputs outside the accepted range and for requests that `validations`
/// refuses. Throws KeyMismatch for keys of another parameter set.
Report run_validation(const graph::CompiledModel& model, const Request& request, Mode mode, const OwnerKeys& keys,
                      std::span<const Sample> samples, const runtime::PrepareOptions& options = {});

}  // namespace tacit::check
