#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "params/bootstrap_chain.h"
#include "params/cost_table.h"
#include "params/key_manifest.h"
#include "params/linear_parts.h"
#include "params/schedule.h"

namespace tacit::params {

/// What a bootstrap makes of a slot z. The sine that removes multiples of q_0 leaves ratio / (2 pi) sin(2 pi z /
/// ratio).
enum class BootstrapForm {
  linear,   ///< ratio 2^10, times a gain that leaves 1/4 of the cubic error: |result - z| < 2^-19.3 for |z| <= 1
  folded,   ///< ratio 2^8: less noise, and the sine is left to the function that follows, fitted to f(arcsine(result))
  classic,  ///< the sine acts on the coefficients of the message, which are small for slots that vary, and slots to
            ///< coefficients comes last: complex slots, input at level 0, two sines (Cheon, Han, Kim, Kim, Song 2018)
};

/// Consecutive stages of the special FFT between slots and coefficients, as one linear map. Stage s joins slots at
/// distance 2^s (Chen, Chillotti, Song 2019, section 4.2; Cheon, Han, Hhan 2018). The first factor of coefficients to
/// slots reads a raised ciphertext, whose key switches have one small digit: all its steps are baby steps, and they
/// bring the ciphertext back from the ephemeral secret (Account::raised_linear).
struct DftFactor {
  int first_stage = 0, stages = 0;
  int level = 0;            ///< of its input; its output is one level lower
  LinearSchedule schedule;  ///< without folds
  bool operator==(const DftFactor&) const = default;
};

/// Its diagonals repeat with the distance that the stage above them joins.
LinearCounts count(const DftFactor& factor, int log_slots);

/// How a bootstrap is carried out: plain data, chosen by `plan_bootstrap`, executed by `scheme`. Slots to coefficients,
/// which takes q_0 … q_input alone; raise modulus; coefficients to slots; sine (Bossuat, Troncoso-Pastoriza, Hubaux
/// 2022; Chen, Han 2018 for the order). Each real slot then passes the sine as one coefficient. The classic form
/// differs.
struct BootstrapSchedule {
  BootstrapForm form = BootstrapForm::folded;
  BootstrapChain chain;
  int log_ratio =
      0;  ///< z sits at z q_0 / 2^log_ratio when the modulus is raised (classic: about that, at the set's scale)
  bool arcsine = false;  ///< z + (2 pi / ratio)^2 z^3 / 6 at the end, which takes two levels
  int input_level = 0, output_level = 0;
  std::vector<DftFactor> slots_to_coefficients, coefficients_to_slots;  ///< in the order of their use
  double range = 0;            ///< the argument of the sine, t / q_0 - 1/4, lies in [-range, range]
  std::vector<double> cosine;  ///< Chebyshev coefficients of cos(2 pi range x / 2^kDoubleAngles), even
  PolynomialSchedule polynomial;
  bool operator==(const BootstrapSchedule&) const = default;

  double ratio() const { return static_cast<double>(std::int64_t{1} << log_ratio); }
  /// The result of a slot z without noise; classic: but for the sine of its coefficients.
  double result(double z) const;
  /// The z of a result.
  double inverse(double result) const;
};

struct BootstrapOptions {
  BootstrapForm form = BootstrapForm::folded;
  /// Level of the result; none (-1): the highest, chain.output, less two for the arcsine and, in the classic form, less
  /// the levels of slots to coefficients. A lower one is cheaper: the modulus is raised without the primes between.
  int output_level = -1;
  bool arcsine = false;
};

/// Each transform divides its stages over its levels, and each factor its diagonals into baby and giant steps, by the
/// least time at these prices. The factors are the same at every output level: bootstraps to different levels share
/// their keys. Throws InputError if the set is leveled or cannot give the output level.
BootstrapSchedule plan_bootstrap(const CkksLiteral& literal, const BootstrapOptions& options = {},
                                 const CostTable& prices = {});

/// Why a schedule from elsewhere cannot run on the parameter set, as the end of a sentence about it; empty where it
/// can. A schedule that any prices lead to can. Throws as plan_bootstrap does.
std::string schedule_problem(const BootstrapSchedule& schedule, const CkksLiteral& literal);

/// The evaluation keys of a bootstrap, as the whole set counts levels.
KeyManifest key_manifest(const BootstrapSchedule& schedule);

}  // namespace tacit::params
