#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "params/parameter_identity.h"

namespace tacit::app {

/// Warnings of commands: one line each on standard error, before the work begins.

/// Warns if keys or data are about to depend on a set that the security table does not cover.
void warn_if_insecure(const params::ParameterIdentity& parameters);
/// Prints the warnings of a compilation. Equal ones are one line.
void warn_of(const std::vector<std::string>& warnings);
/// Returns a plan without its warnings, for people who have read them already.
nlohmann::ordered_json without_warnings(nlohmann::ordered_json plan);

}  // namespace tacit::app
