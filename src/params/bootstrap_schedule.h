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

/// The forms of a bootstrap of a slot z. The sine that removes multiples of q_0 gives ratio / (2 pi) sin(2 pi z /
/// ratio). Lookups read the last two forms (lookup_schedule.h), which give the sine or the exponential itself. The
/// numbers of the forms are part of the format of programs.
enum class BootstrapForm {
  linear,  ///< ratio 2^10, times a gain that leaves 1/4 of the cubic error: |result - z| < 2^-19.3 for |z| <= 1
  folded,  ///< ratio 2^6: less noise; the next function is fitted to f(arcsine(result)) to undo the sine
  half,    ///< ratio 4: sin(pi z / 2), which tells the z of [-1, 1] apart
  whole,   ///< ratio 2: exp(i pi z), a complex slot; z counts modulo 2
};

/// True for the forms that only lookups read.
constexpr bool is_of_lookups(BootstrapForm form) { return form == BootstrapForm::half || form == BootstrapForm::whole; }

/// Consecutive stages of the special FFT between slots and coefficients, as one linear map. Stage s joins slots at
/// distance 2^s (Chen, Chillotti, Song 2019, section 4.2; Cheon, Han, Hhan 2018). The first factor of coefficients to
/// slots reads a raised ciphertext. Its key switches have one small digit, and all its steps are baby steps. They bring
/// the ciphertext back from the ephemeral secret (Account::raised_linear).
struct DftFactor {
  int first_stage = 0, stages = 0;
  int level = 0;            ///< level of the input; the output is one level lower
  LinearSchedule schedule;  ///< without folds
  bool operator==(const DftFactor&) const = default;
};

/// Counts the parts of a factor. Its diagonals repeat with the distance that the stage above its stages joins.
LinearCounts count(const DftFactor& factor, int log_slots);

/// The plan of a bootstrap as plain data: `plan_bootstrap` chooses it, `scheme` executes it. It has four parts
/// (Bossuat, Troncoso-Pastoriza, Hubaux 2022; Chen, Han 2018 for the order):
/// - slots to coefficients, over q_0 … q_input alone
/// - raise the modulus (Cheon, Han, Kim, Kim, Song 2018)
/// - coefficients to slots
/// - sine
///
/// Each real slot passes the sine as one coefficient.
struct BootstrapSchedule {
  BootstrapForm form = BootstrapForm::folded;
  BootstrapChain chain;
  int log_ratio = 0;  ///< the modulus is raised at z q_0 / 2^log_ratio
  int input_level = 0, output_level = 0;
  std::vector<DftFactor> slots_to_coefficients, coefficients_to_slots;  ///< in the order of their use
  double range = 0;  ///< the argument of the sine, t / q_0 - shift(), is in [-range, range]
  /// Chebyshev coefficients of cos(2 pi range x / 2^kDoubleAngles), even. The whole form has those of the sine between
  /// them, which i multiplies.
  std::vector<double> cosine;
  PolynomialSchedule polynomial;
  bool operator==(const BootstrapSchedule&) const = default;

  double ratio() const { return static_cast<double>(std::int64_t{1} << log_ratio); }
  /// Returns what is taken from t / q_0, so that the cosine is a sine: 1/4. The whole form takes nothing.
  double shift() const { return form == BootstrapForm::whole ? 0 : 0.25; }
  /// Returns the noiseless result of a slot z. In the whole form it is the real part.
  double result(double z) const;
  /// Returns the z of a result. The form is not whole.
  double inverse(double result) const;
};

struct BootstrapOptions {
  BootstrapForm form = BootstrapForm::folded;
  /// The level of the result. The default (-1) is the highest one, chain.output. A lower level is cheaper, because the
  /// modulus is raised without the primes between.
  int output_level = -1;
};

/// Returns the fastest schedule at these prices. Each transform divides its stages over its levels, and each factor its
/// diagonals into baby and giant steps. The factors are the same at every output level, so that bootstraps to different
/// levels share their keys. Throws InputError if the set is leveled or cannot give the output level.
BootstrapSchedule plan_bootstrap(const CkksLiteral& literal, const BootstrapOptions& options = {},
                                 const CostTable& prices = {});

/// Returns the reason that a schedule from outside cannot run on the parameter set, as the end of a sentence. The text
/// is empty if it can run. A schedule that any prices lead to can run. Throws as plan_bootstrap does.
std::string schedule_problem(const BootstrapSchedule& schedule, const CkksLiteral& literal);

/// Returns the evaluation keys of a bootstrap. Levels are those of the whole set.
KeyManifest key_manifest(const BootstrapSchedule& schedule);

}  // namespace tacit::params
