#pragma once

#include <nlohmann/json.hpp>

#include "params/sharing.h"
#include "params/tfhe_parameters.h"
#include "program/integers/program.h"

namespace tacit::session {

/// Returns the part of a plan about numbers of results for others. "log2_failure_of_run" is log2 of the probability
/// that noise changes a result, or null if it cannot. "refused" is the reason why numbers cannot be shared, or null.
nlohmann::ordered_json shared_numbers_json(const integers::Program& program, const params::TfheParameters& parameters);

/// Throws InputError for a promise that params::check refuses, that numbers cannot be shared with, or that holds with a
/// smaller probability than promised. `shared_numbers` is from a plan. `has_labels`: the model has labels to share in
/// place of numbers.
void require_shared(const nlohmann::ordered_json& shared_numbers, const params::Sharing& promise, bool has_labels);

}  // namespace tacit::session
