#pragma once

#include <cstdint>

#include "params/cost_table.h"
#include "params/interconnect.h"
#include "program/rank_plan.h"
#include "program/slots/program.h"

namespace tacit::slots {

using program::RankPlan;

/// Plans a program with levels, by a table of prices. Ciphertexts travel at the level that the instruction reads. Each
/// rank that reads an input of a linear map rotates it itself. All blocks count with equally many diagonals.
RankPlan plan_ranks(const Program& program, const params::CkksLiteral& literal, const params::CostTable& table,
                    const params::Interconnect& network, std::int64_t ranks);

}  // namespace tacit::slots
