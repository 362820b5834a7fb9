#pragma once

#include <cstdint>
#include <vector>

namespace tacit::params {

/// A linear map makes the sums under its giant steps in batches, and decomposes its inputs and those sums in groups,
/// that stay within this many bytes each (or hold one): what `scheme` does, and what memory is planned with.
inline constexpr std::uint64_t kLinearBatchBytes = std::uint64_t{384} << 20;

/// How one block of a linear map (one input ciphertext to one output ciphertext) is carried out with double-hoisted
/// baby-step giant-step (Bossuat, Mouchet, Troncoso-Pastoriza, Hubaux 2021, section 4).
/// y = sum over g of rotate(sum over b of diagonal(g + b) * rotate(x, b), g): a generalised diagonal d is split
/// d = giant + baby (mod slots). Plain data: chosen above, executed by `scheme`.
struct DiagonalStep {
  std::int64_t diagonal = 0;  ///< in [0, slots): the diagonal multiplies x rotated left by this many slots
  std::int64_t baby = 0;      ///< in [0, slots)
  std::int64_t giant = 0;     ///< in [0, slots); baby + giant = diagonal (mod slots)
  bool operator==(const DiagonalStep&) const = default;
};

/// A linear map over arrays of ciphertexts: a step list that serves all its blocks, then folds.
/// After the blocks of an output are summed, y = y + rotate(y, f) for every f of `folds` in order: the rotate-and-sum
/// that turns partial sums into sums replicated with the smallest fold as period.
struct LinearSchedule {
  std::vector<DiagonalStep> steps;
  std::vector<std::int64_t> folds;
  bool operator==(const LinearSchedule&) const = default;
};

/// Paterson-Stockmeyer evaluation of a Chebyshev series of this degree: baby polynomials T_1 … T_(2^log_baby) and
/// T_(2^(log_baby+i)). Consumes `depth` levels and ends exactly at a target scale. `plan_polynomial`
/// (polynomial_plan.h) spells it out for given coefficients.
struct PolynomialSchedule {
  int degree = 0;
  int log_baby = 0;
  int depth = 0;
  /// Fewest levels (ceil(log2(degree + 1))) and, among those, fewest relinearisations for a dense series, then fewest
  /// ciphertext products. Throws InputError unless 0 <= degree <= 1023.
  static PolynomialSchedule choose(int degree);
  bool operator==(const PolynomialSchedule&) const = default;
};

}  // namespace tacit::params
