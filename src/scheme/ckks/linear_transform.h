#pragma once

#include <map>
#include <vector>

#include "scheme/ckks/evaluator.h"

namespace tacit::scheme::ckks {

/// One evaluation of `Evaluator::linear`, after its checks.
class LinearTransform {
 public:
  using Blocks = std::span<const std::vector<const DiagonalMatrix*>>;
  /// Throws as `Evaluator::linear` does.
  LinearTransform(const Evaluator& evaluator, std::span<const Ciphertext> inputs, Blocks blocks,
                  const params::LinearSchedule& schedule);
  std::vector<Ciphertext> run();

 private:
  /// One term of an accumulator: a diagonal times a rotated input.
  struct Term {
    const DiagonalMatrix::Diagonal* diagonal;
    std::size_t baby;  ///< index into the inputs times the baby steps
  };
  class RotatedRow;
  /// The inner sum of one giant step of one output: extended, undivided, pairs with the rotation by `giant`.
  struct Accumulator {
    std::size_t output;
    std::int64_t giant;
    std::vector<std::vector<Term>> terms;  ///< by input
    ring::NttPoly u0, u1;
  };

  void check_inputs();
  void collect();
  void accumulate(std::span<Accumulator> batch);
  void accumulate_row(std::span<Accumulator> batch, std::size_t first_input, std::size_t last_input, std::size_t row);
  void giant_step(Accumulator& accumulator, ring::NttPoly& total0, ring::NttPoly& total1) const;

  const Evaluator& evaluator_;
  const Context& context_;
  const rlwe::ModulusChain& chain_;
  std::span<const Ciphertext> inputs_;
  Blocks blocks_;
  const params::LinearSchedule& schedule_;
  int level_ = 0;
  double target_scale_ = 0;
  std::vector<std::int64_t> babies_;
  std::vector<const GaloisKey*> baby_keys_;  ///< null for 0
  std::vector<Accumulator> accumulators_;
  std::map<std::size_t, rlwe::Digits> digits_;  ///< by input
};

}  // namespace tacit::scheme::ckks
