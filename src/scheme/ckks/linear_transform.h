#pragma once

#include <map>
#include <vector>

#include "scheme/ckks/evaluator.h"

namespace tacit::scheme::ckks {

/// One evaluation of `Evaluator::linear`, after its checks. The work goes row by row, so that what one row needs stays
/// in the second cache: inputs are rotated by baby steps a strip at a time and multiplied with every diagonal at once
/// (linear_row.cpp); the sums under giant steps go straight into their division by the special primes; and a row of an
/// output gathers all its giant steps before it is divided (rotated_sum.h).
class LinearTransform {
 public:
  using Inputs = std::span<const Ciphertext* const>;
  using Blocks = std::span<const std::vector<const DiagonalMatrix*>>;
  /// Throws as `Evaluator::linear` does. The result does not depend on the bytes of a batch. With a raised ciphertext,
  /// whose lifted one is the only input, it is that of `Evaluator::raised_linear`.
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
    bool alone;                            ///< the output's only one, of the step 0: made where its total is
    std::vector<std::vector<Term>> terms;  ///< by input
    ring::NttPoly u0{}, u1{};              ///< what earlier groups of inputs gave; empty before the second
    ring::NttPoly c1{};                    ///< the second half, divided by P_level; of a step that is not 0
  };
  /// What one output has besides its rotated second halves, extended, undivided: the sum of all first halves where they
  /// belong after the giant steps, and the second half of the step 0.
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
  /// Null for no key switch.
  const GaloisKey* baby_key(std::int64_t steps) const;
  /// As many accumulators from `begin` on as are made in one pass.
  std::span<Accumulator> batch_from(std::size_t begin);
  /// How many polynomials are kept decomposed at a time.
  std::size_t decomposed_together() const;
  void accumulate(std::span<Accumulator> batch);
  /// Decomposes the inputs of a group, and forgets the others.
  void decompose(Group group, bool used_again);
  /// The sums over a group's inputs, added to those of earlier groups.
  void add_group(std::span<Accumulator> batch, Group group);
  /// The sums over all inputs, of which `group` are the last: first halves go to the totals, rotated by their giant
  /// steps, and second halves to their division.
  void finish_sums(std::span<Accumulator> batch, Group group);
  /// Takes positions [at, at + words) of one row of an accumulator's halves, of which what must not move is where it
  /// belongs already.
  void deliver(const Accumulator& accumulator, std::size_t row, std::size_t at, std::size_t words, std::uint64_t* u0,
               std::uint64_t* u1);
  /// The accumulators of an output whose second halves are divided and not yet in its total.
  std::vector<Accumulator*> waiting(std::size_t output);
  /// Adds them to the output's total, rotated, and forgets them.
  void add_giants(std::size_t output, std::span<Accumulator* const> accumulators);
  Ciphertext finish(std::size_t output);

  const Evaluator& evaluator_;
  const Context& context_;
  const rlwe::ModulusChain& chain_;
  std::vector<const Ciphertext*> inputs_;
  const RaisedCiphertext* raised_;  ///< whose lifted ciphertext is the only input; null for others
  Blocks blocks_;
  const params::LinearSchedule& schedule_;
  std::size_t batch_bytes_;
  int level_ = 0;
  double target_scale_ = 0;
  bool mirrored_ = false;  ///< the diagonals are those of real matrices, of which half of a row is kept
  std::vector<std::int64_t> babies_;
  std::vector<const GaloisKey*> baby_keys_;     ///< as baby_key
  std::vector<Accumulator> accumulators_;       ///< by output
  std::vector<Total> totals_;                   ///< by output; empty before its first batch and after its end
  std::map<std::size_t, rlwe::Digits> digits_;  ///< by input
};

}  // namespace tacit::scheme::ckks
