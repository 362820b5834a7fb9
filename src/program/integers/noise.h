#pragma once

#include <optional>
#include <vector>

#include "base/feasible.h"
#include "params/tfhe_parameters.h"
#include "params/tfhe_solver.h"
#include "program/integers/program.h"

namespace tacit::integers {

/// The parts of the noise of a value that come from fresh ciphertexts and from bootstraps, as 2-norms of the weights of
/// the worst element. Operands that are sums may share their parts, so that their norms add up.
struct NoiseNorms {
  double fresh = 0, bootstraps = 0;
};

/// Returns the norms by value.
std::vector<NoiseNorms> noise_norms(const Program& program);

/// Returns the requirements of every lookup and every output of the program, with this failure probability each.
std::vector<params::LookupRequirement> requirements(const Program& program, double log2_failure);

/// Returns modelled deviations of the phase, by value, as shares of the torus. An output has the deviation of its
/// decryption. A lookup has that of its argument when it is cut into boxes. Others have their own.
std::vector<double> noise_deviations(const Program& program, const params::TfheParameters& parameters);

/// Returns modelled deviations of the phase that decides a bit, as shares of the torus. They are by value for values
/// that round, then by bit, lowest first. The bit is at the top of the torus: it is read wrongly if the error exceeds a
/// quarter.
std::vector<std::vector<double>> rounding_deviations(const Program& program, const params::TfheParameters& parameters);

/// Throws InputError naming an instruction that fails with a larger probability than the parameters state. It also
/// refuses parameters whose tables have fewer bits than the program's.
void require_holds(const Program& program, const params::TfheParameters& parameters);
/// Returns the same refusals as a value; none if the parameters hold for the program.
std::optional<base::Infeasible> why_not_held(const Program& program, const params::TfheParameters& parameters);

/// Returns why inputs must not be encrypted with a public key, or nothing. Their noise is larger
/// (params::public_sum_factor), and an instruction would fail with a larger probability than the parameters state.
std::optional<base::Infeasible> why_no_public_key(const Program& program, const params::TfheParameters& parameters);

/// Returns log2 of the modelled probability that any lookup or output of one run fails. A failed one is in a box
/// farther than the nearest or the next.
double log2_failure_of_run(const Program& program, const params::TfheParameters& parameters);
/// Returns the same for inputs under a public key.
double log2_failure_of_public_run(const Program& program, const params::TfheParameters& parameters);

}  // namespace tacit::integers
