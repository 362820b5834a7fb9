#pragma once

#include <vector>

#include "params/tfhe_parameters.h"
#include "params/tfhe_solver.h"
#include "program/integers/program.h"

namespace tacit::integers {

/// How the noise of a value is made of the noise of fresh ciphertexts and of bootstraps: the worst element's 2-norms of
/// the weights. Operands that are sums themselves may share their parts, so that their norms add up.
struct NoiseNorms {
  double fresh = 0, bootstraps = 0;
};

/// By value.
std::vector<NoiseNorms> noise_norms(const Program& program);

/// What parameters must hold for every lookup and every output of the program, with this failure probability each.
std::vector<params::LookupRequirement> requirements(const Program& program, double log2_failure);

/// Modelled deviations of the phase, by value, as shares of the torus: of an output its decryption's, of a lookup that
/// of the argument when it is cut into boxes, of others their own.
std::vector<double> noise_deviations(const Program& program, const params::TfheParameters& parameters);

/// By value, of those that round: modelled deviations of the phase that tells a bit, by bit, lowest first, as shares of
/// the torus: the bit stands at its top, so that it is taken for the other one where the error exceeds a quarter.
std::vector<std::vector<double>> rounding_deviations(const Program& program, const params::TfheParameters& parameters);

/// Throws InputError naming the instruction that fails with a larger probability than the parameters state, or tables
/// of fewer bits than theirs.
void require_holds(const Program& program, const params::TfheParameters& parameters);

/// log2 of the modelled probability that any lookup or output of one run fails: lands in a box farther than the nearest
/// or the next.
double log2_failure_of_run(const Program& program, const params::TfheParameters& parameters);

}  // namespace tacit::integers
