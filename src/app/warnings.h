#pragma once

#include <string>
#include <vector>

#include "params/parameter_identity.h"

namespace tacit::app {

/// What a command says on standard error, one line each, before it goes on.

/// Where keys or data are about to depend on a set that the security table does not cover.
void warn_if_insecure(const params::ParameterIdentity& parameters);
/// The warnings of a compilation.
void warn_of(const std::vector<std::string>& warnings);

}  // namespace tacit::app
