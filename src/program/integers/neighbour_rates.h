#pragma once

#include <span>
#include <vector>

#include "params/tfhe_parameters.h"
#include "program/integers/clear_program.h"

namespace tacit::integers {

/// By value, for lookups that round their argument: the share of them that noise is expected to move to a box beside
/// the nearest. 0 for all others. `samples` are inputs like those to come: on them the clear reading shows how far
/// arguments lie from the borders of their boxes, which is where noise moves them (a sum that is constant may lie on
/// one). Without samples an argument may lie anywhere in its box, so that an error of a share of a box moves that
/// share: the rate is the mean magnitude of the error, in boxes.
std::vector<double> neighbour_rates(const Program& program, const params::TfheParameters& parameters,
                                    std::span<const std::vector<Integers>> samples);

}  // namespace tacit::integers
