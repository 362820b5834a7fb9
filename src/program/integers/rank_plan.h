#pragma once

#include <cstdint>
#include <span>

#include "params/interconnect.h"
#include "params/tfhe_parameters.h"
#include "program/integers/program.h"
#include "program/rank_plan.h"

namespace tacit::integers {

/// Plans a program on integers. seconds[id] is the time that one rank takes for an instruction by itself. A rank holds
/// `rank_bytes`.
program::RankPlan plan_ranks(const Program& program, const params::TfheParameters& parameters,
                             std::span<const double> seconds, double rank_bytes, const params::Interconnect& network,
                             std::int64_t ranks);

}  // namespace tacit::integers
