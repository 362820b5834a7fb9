#pragma once

#include <optional>

#include "base/feasible.h"
#include "params/sharing.h"
#include "params/tfhe_parameters.h"
#include "program/integers/program.h"

/// Numbers of results that people without the key may see. Results need no flood if they do not depend on noise.
namespace tacit::integers {

/// Returns the first place where noise decides a part of the results; none if the program is exact (is_exact). The
/// results of an exact program are those of its clear reading, unless a lookup, a rounding or a decryption fails.
std::optional<base::Infeasible> why_not_shared(const Program& program);

/// Returns log2 of the modelled probability that noise changes a result of one run of an exact program. Inputs may be
/// under a public key, if the program leaves room for one. Minus infinity if nothing can fail.
double log2_changed_result(const Program& program, const params::TfheParameters& parameters);

/// Returns the largest such log2 that keeps a promise. With s statistical bits and t decryptions, noise changes none of
/// the t results with probability 1 - 2^-s or more: it is -(s + log2 t).
double most_log2_changed(const params::Sharing& sharing);

}  // namespace tacit::integers
