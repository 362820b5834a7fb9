#pragma once

#include <memory>
#include <vector>

#include "check/insertion.h"
#include "check/result.h"
#include "check/validator.h"
#include "graph/compile.h"
#include "graph/graph.h"
#include "runtime/executor.h"
#include "scheme/ckks/keys.h"

namespace tacit::check {

/// The keys of one owner, the secret one included.
struct OwnerKeys {
  std::shared_ptr<const scheme::ckks::SecretKey> secret;
  std::shared_ptr<const scheme::ckks::EvaluationKeys> evaluation;
};

/// Encrypts one sample (a tensor for each input of the program), runs the program with the validations of `request` and
/// reports them: all, or those up to the first that failed, as the mode says. Throws InputError for inputs outside the
/// accepted range and what `validations` refuses, KeyMismatch for keys of another parameter set.
Report run_validation(const graph::CompiledModel& model, const Request& request, Mode mode,
                      const scheme::ckks::ContextPtr& context, const OwnerKeys& keys,
                      const std::vector<std::vector<double>>& inputs, const runtime::PrepareOptions& options = {});

}  // namespace tacit::check
