#pragma once

#include <vector>

#include "layout/placement.h"
#include "program/integers/bootstraps.h"
#include "program/integers/weight_rows.h"

/// The elements that ranks read of the operands of an instruction, in order. A rank computes the rows of a sum, and the
/// bootstraps of a lookup, that the placement gives it. A run and a plan of its traffic share this.
namespace tacit::integers {

/// Returns, by rank, the columns of its rows of one term of a sum.
std::vector<std::vector<layout::Index>> needs_of_rows(const layout::Placement& placement, const WeightRows& weights);
/// Returns, by rank, the arguments of its bootstraps.
std::vector<std::vector<layout::Index>> needs_of_bootstraps(const layout::Placement& placement,
                                                            const Bootstraps& bootstraps);

}  // namespace tacit::integers
