#pragma once

#include <nlohmann/json.hpp>

#include "session/owner/compilation.h"

namespace tacit::session {

/// The plan of a compiled network as JSON:
/// - model, scheme, security_bits, log_n, log_qp, levels, batch, rotations, ciphertexts, parameters;
/// - approximations with their intervals, and the client's steps;
/// - what the cost reading says of keys, memory and time;
/// - the instructions with layout, level and diagonals.
/// Times are by the prices that it was compiled by.
nlohmann::ordered_json plan_json(const Compilation& compilation);
/// The same with times by other prices; the program stays what it is.
nlohmann::ordered_json plan_json(const Compilation& compilation, const params::CostTable& shown);

/// Seconds that an input is planned to take by the prices that it was compiled by: without a file of them (--costs)
/// those of one core, the same on every machine.
double planned_seconds(const Compilation& compilation);

}  // namespace tacit::session
