#pragma once

#include <cstdint>
#include <vector>

namespace tacit::params {

/// The bytes of a batch or group in a linear map. A map makes the sums under its giant steps in batches, and decomposes
/// its inputs and these sums in groups. Each batch or group stays within these bytes, or holds one item. `scheme`
/// executes this rule, and memory plans use it.
inline constexpr std::uint64_t kLinearBatchBytes = std::uint64_t{384} << 20;

/// One step of a block of a linear map, from one input ciphertext to one output ciphertext. Blocks use double-hoisted
/// baby-step giant-step (Bossuat, Mouchet, Troncoso-Pastoriza, Hubaux 2021, section 4):
///   y = sum over g of rotate(sum over b of diagonal(g + b) * rotate(x, b), g)
///
/// A generalised diagonal is split as diagonal = giant + baby (mod slots). Steps are plain data: the planner chooses
/// them, and `scheme` executes them.
struct DiagonalStep {
  std::int64_t diagonal = 0;  ///< in [0, slots): the diagonal multiplies x rotated left by this many slots
  std::int64_t baby = 0;      ///< in [0, slots)
  std::int64_t giant = 0;     ///< in [0, slots); baby + giant = diagonal (mod slots)
  bool operator==(const DiagonalStep&) const = default;
};

/// A linear map over arrays of ciphertexts: a list of steps that serves all its blocks, then folds. After the blocks of
/// an output are summed, y = y + rotate(y, f) runs for every f of `folds` in order. This rotate-and-sum replicates the
/// sums of partial sums with the smallest fold as period.
struct LinearSchedule {
  std::vector<DiagonalStep> steps;
  std::vector<std::int64_t> folds;
  bool operator==(const LinearSchedule&) const = default;
};

/// The Paterson-Stockmeyer evaluation of a Chebyshev series of this degree. The baby polynomials are T_1 …
/// T_(2^log_baby), and the giant ones T_(2^(log_baby+i)). It consumes `depth` levels and ends exactly at a target
/// scale. `plan_polynomial` (polynomial_plan.h) makes the plan for given coefficients.
struct PolynomialSchedule {
  int degree = 0;
  int log_baby = 0;
  int depth = 0;
  /// Chooses the fewest levels, ceil(log2(degree + 1)). Among those it chooses the fewest relinearisations for a dense
  /// series, then the fewest ciphertext products. Throws InputError unless 0 <= degree <= 1023.
  static PolynomialSchedule choose(int degree);
  bool operator==(const PolynomialSchedule&) const = default;
};

}  // namespace tacit::params
