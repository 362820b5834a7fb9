#pragma once

#include "params/ckks_parameters.h"

namespace tacit::app {

/// Warns on standard error, in one line, where keys or data are about to depend on a set that the security table does
/// not cover.
void warn_if_insecure(const params::CkksParameters& parameters);

}  // namespace tacit::app
