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

/// The keys of one owner, the secret one included.
struct OwnerKeys {
  scheme::ckks::ContextPtr context;
  std::shared_ptr<const scheme::ckks::SecretKey> secret;
  std::shared_ptr<const scheme::ckks::EvaluationKeys> evaluation;
  /// Fresh ones for a model. Throws InputError where they do not fit the budget, Cancelled.
  static OwnerKeys generate(const graph::CompiledModel& model, base::Progress& progress = base::Progress::silent(),
                            const base::MemoryBudget& memory = {});
  /// Those of one key generation for the model with this id. Throws as the loaders of runtime/slots/key_store.h do.
  static OwnerKeys load(const graph::CompiledModel& model, const runtime::ModelId& id,
                        const std::filesystem::path& secret, const std::filesystem::path& evaluation);
};

/// Of one sample, a tensor for each input of a program.
using Sample = std::vector<std::vector<double>>;

/// Encrypts samples one after the other, a batch at a time, runs the program with the validations of `request` on each
/// and reports them: all, the worse of all samples by operator, or those up to the first that failed, as the mode says.
/// Throws InputError for inputs outside the accepted range and what `validations` refuses, KeyMismatch for keys of
/// another parameter set.
Report run_validation(const graph::CompiledModel& model, const Request& request, Mode mode, const OwnerKeys& keys,
                      std::span<const Sample> samples, const runtime::PrepareOptions& options = {});

}  // namespace tacit::check
