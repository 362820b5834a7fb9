#pragma once

#include <string>

#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// Why a linear map could not be carried out by its schedule: it folds otherwise than the map, or does not have each of
/// its diagonals once. A sentence, or nothing. Streams the operator.
std::string schedule_problem(const LinearTerm& term);

/// For a program with levels and scales from wherever it comes: throws InputError naming the instruction unless every
/// instruction reads and makes what the program says, at levels, scales and slots that the parameters have. What a
/// program is refused for here would be an error of ours in an evaluator.
void require_runnable(const Program& program, const params::CkksParameters& parameters);

/// The same for a program that arrives in a file, whose schedules nobody here has made: those are checked, too.
void require_runnable_from_file(const Program& program, const params::CkksParameters& parameters);

}  // namespace tacit::slots
