#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/progress.h"
#include "session/owner/compilation.h"
#include "session/owner/expected_errors.h"

namespace tacit::session {

/// Returns the errors of a network on slots, by clear runs of its program with modelled noise (expected_errors).
ExpectedErrors expect_errors(const Compilation& compilation, std::span<const std::vector<graph::Tensor>> samples,
                             base::Progress& progress);
/// Adds the errors and their warnings to the compilation. Throws InputError if an error exceeds `most`
/// (require_errors).
void state_errors(Compilation& compilation, std::span<const std::vector<graph::Tensor>> samples,
                  const std::optional<double>& most, base::Progress& progress);

}  // namespace tacit::session
