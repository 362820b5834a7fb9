#pragma once

#include <map>
#include <vector>

#include "scheme/ckks/evaluator.h"

namespace tacit::scheme::ckks {

/// One evaluation of `Evaluator::linear`, after its checks. The work goes row by row, so that the data of one row stay
/// in the second cache:
/// - Inputs are rotated by baby steps a strip at a time, and multiplied with every diagonal at once (linear_row.cpp).
/// - Sums under giant steps go straight into their division by the special primes.
/// - A row of an output gathers all its giant steps before it is divided (rotated_sum.h).
class LinearTransform {
 public:
  using Inputs = std::span<const Ciphertext* const>;
  using Blocks = std::span<const std::vector<const DiagonalMatrix*>>;
  /// Throws as `Evaluator::linear` does. The result does not depend on the bytes of a batch. With `raised`, whose
  /// lifted ciphertext is the only input, it is the result of `Evaluator::raised_linear`.
  LinearTransform(const Evaluator& evaluator, Inputs inputs, Blocks blocks, const params::LinearSchedule& schedule,
                  std::size_t batch_bytes = params::kLinearBatchBytes, const RaisedCiphertext* raised = nullptr);
  std::vector<Ciphertext> run();

 private:
  /// One term of an accumulator: a diagonal times a rotated input.
  struct Term {
    const DiagonalMatrix::Diagonal* diagonal;
    std::size_t baby;  ///< index into the baby steps
  };
  /// The inner sum of one giant step of one output: extended, undivided, pairs with the rotation by `giant`.
  struct Accumulator {
    std::size_t output;
    const GaloisKey* giant;                ///< null for the step 0
    bool alone;                            ///< the output's only accumulator, of the step 0: made in its total
    std::vector<std::vector<Term>> terms;  ///< by input
    ring::NttPoly u0{}, u1{};              ///< sums of earlier groups of inputs; empty before the second
    ring::NttPoly c1{};                    ///< the second half, divided by P_level; empty for the step 0
  };
  /// The part of one output that is not a rotated second half, extended, undivided. It is the sum of all first halves
  /// at their final places after the giant steps, and the second half of the step 0.
  struct Total {
    ring::NttPoly u0, u1;
  };
  /// Inputs [first, last).
  struct Group {
    std::size_t first, last;
    std::size_t size() const { return last - first; }
  };
  class RotatedRow;
  class Row;
  class Giants;

  void check_inputs();
  void collect();
  /// Returns the key of a baby step, or null for no key switch.
  const GaloisKey* baby_key(std::int64_t steps) const;
  /// Returns the accumulators from `begin` on that are made in one pass.
  std::span<Accumulator> batch_from(std::size_t begin);
  /// Returns the number of polynomials that are kept decomposed at a time.
  std::size_t decomposed_together() const;
  void accumulate(std::span<Accumulator> batch);
  /// Decomposes the inputs of a group, and frees the others.
  void decompose(Group group, bool used_again);
  /// Computes the sums over a group's inputs and adds them to those of earlier groups.
  void add_group(std::span<Accumulator> batch, Group group);
  /// Completes the sums over all inputs with `group`, the last one. First halves go to the totals, rotated by their
  /// giant steps. Second halves go to their division.
  void finish_sums(std::span<Accumulator> batch, Group group);
  /// Takes positions [at, at + words) of one row of an accumulator's halves. The part that must not move is already at
  /// its final place.
  void deliver(const Accumulator& accumulator, std::size_t row, std::size_t at, std::size_t words, std::uint64_t* u0,
               std::uint64_t* u1);
  /// Returns the accumulators of an output whose second halves are divided and not yet in its total.
  std::vector<Accumulator*> waiting(std::size_t output);
  /// Adds them to the output's total, rotated, and frees them.
  void add_giants(std::size_t output, std::span<Accumulator* const> accumulators);
  Ciphertext finish(std::size_t output);

  const Evaluator& evaluator_;
  const Context& context_;
  const rlwe::ModulusChain& chain_;
  std::vector<const Ciphertext*> inputs_;
  const RaisedCiphertext* raised_;  ///< its lifted ciphertext is the only input; null for others
  Blocks blocks_;
  const params::LinearSchedule& schedule_;
  std::size_t batch_bytes_;
  int level_ = 0;
  double target_scale_ = 0;
  bool mirrored_ = false;  ///< the diagonals are those of real matrices: half of each row is kept
  std::vector<std::int64_t> babies_;
  std::vector<const GaloisKey*> baby_keys_;     ///< as baby_key
  std::vector<Accumulator> accumulators_;       ///< by output
  std::vector<Total> totals_;                   ///< by output; empty before its first batch and after its end
  std::map<std::size_t, rlwe::Digits> digits_;  ///< by input
};

}  // namespace tacit::scheme::ckks
