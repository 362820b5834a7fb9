#pragma once

#include <span>
#include <vector>

#include "params/tfhe_parameters.h"
#include "program/integers/clear_program.h"

namespace tacit::integers {

/// Returns, by value, the share of the lookups that noise is expected to move to a neighbouring box. It is 0 for values
/// other than lookups that round their argument. `samples` are inputs like those to come. On them the clear reading
/// shows the distances of arguments from the borders of their boxes, where noise moves them. (A constant sum may be on
/// a border.) Without samples an argument may be anywhere in its box. An error of a share of a box then moves that
/// share: the rate is the mean magnitude of the error, in boxes.
std::vector<double> neighbour_rates(const Program& program, const params::TfheParameters& parameters,
                                    std::span<const std::vector<Integers>> samples);

}  // namespace tacit::integers
