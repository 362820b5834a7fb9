#pragma once

#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"

/// Sums of keys with the same uniform half: keys of the sum of their secrets. Errors add up.
namespace tacit::scheme::ckks {

/// Add `part` to `sum`. Throw InputError if the uniform halves differ, or if the keys are not the same in number and
/// reach, and KeyMismatch for keys of another set. Relinearisation keys have no sum (relinearisation_rounds.h), and
/// neither have the keys of bootstraps: keys with them are refused.
void add(const Context& context, PublicKey& sum, const PublicKey& part);
void add(const Context& context, EvaluationKeys& sum, const EvaluationKeys& part);

}  // namespace tacit::scheme::ckks
