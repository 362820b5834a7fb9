#pragma once

#include <nlohmann/json.hpp>

#include "session/owner/compilation.h"

namespace tacit::session {

/// Returns the plan of a compiled network as JSON, with times by the prices of its compilation:
/// - model, scheme, security_bits, log_n, log_qp, levels, batch, rotations, ciphertexts, parameters;
/// - approximations with their intervals, and the client's steps;
/// - keys, memory and time by the cost reading;
/// - the instructions with layout, level and diagonals.
nlohmann::ordered_json plan_json(const Compilation& compilation);
/// Returns the same plan with times by other prices. The program stays the same.
nlohmann::ordered_json plan_json(const Compilation& compilation, const params::CostTable& shown);

/// Returns the planned seconds of an input by the prices of its compilation. Without a file of prices (--costs) these
/// are those of one core, the same on every machine.
double planned_seconds(const Compilation& compilation);

}  // namespace tacit::session
