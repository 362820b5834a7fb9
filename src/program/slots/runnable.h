#pragma once

#include <string>

#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// Returns a sentence if the schedule of a linear map cannot compute it, or nothing. The schedule must fold as the map
/// does, and have each of its diagonals once. Streams the operator.
std::string schedule_problem(const LinearTerm& term);

/// Checks a program with levels and scales from any source. Throws InputError naming the instruction unless every
/// instruction reads and makes what the program states. Levels, scales and slots must be those of the parameters. An
/// evaluator would treat the refused programs as internal errors.
void require_runnable(const Program& program, const params::CkksParameters& parameters);

/// Does the same for a program from a file. It also checks the schedules.
void require_runnable_from_file(const Program& program, const params::CkksParameters& parameters);

}  // namespace tacit::slots
