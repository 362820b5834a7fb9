#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "params/parameter_identity.h"

namespace tacit::app {

/// What a command says on standard error, one line each, before it goes on.

/// Where keys or data are about to depend on a set that the security table does not cover.
void warn_if_insecure(const params::ParameterIdentity& parameters);
/// The warnings of a compilation. Equal ones are one line.
void warn_of(const std::vector<std::string>& warnings);
/// A plan for people who have been told its warnings.
nlohmann::ordered_json without_warnings(nlohmann::ordered_json plan);

}  // namespace tacit::app
