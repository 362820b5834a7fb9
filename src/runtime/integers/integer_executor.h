#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/progress.h"
#include "runtime/integers/prepared_integers.h"
#include "scheme/tfhe/evaluator.h"

namespace tacit::runtime {

/// Sees every value of a run, in order: what validation needs.
class IntegerObserver {
 public:
  virtual ~IntegerObserver() = default;
  /// `ciphertexts` are the value's, one an element. An output's are its operand's.
  virtual void value(integers::ValueId id, const scheme::tfhe::LweCiphertexts& ciphertexts) = 0;
};

/// The outputs of one run and where the time went.
struct IntegerRunResult {
  std::vector<scheme::tfhe::LweCiphertexts> outputs;  ///< in program order
  std::vector<double> seconds;                        ///< by instruction
};

/// The tensors of one input of a program, expanded: a seed stands for a thousand words a ciphertext, so that their
/// number is held to the program's before. Throws InputError for other tensors than the program's inputs.
std::vector<scheme::tfhe::LweCiphertexts> expand_inputs(const scheme::tfhe::Context& context,
                                                        const integers::Program& program,
                                                        std::span<const scheme::tfhe::SeededLweCiphertexts> tensors);

/// Carries out a prepared program on integers with the evaluation keys of one client. Thread safe; threads are used
/// inside.
class IntegerExecutor {
 public:
  /// Throws KeyMismatch when the keys are of other parameters.
  IntegerExecutor(std::shared_ptr<const PreparedIntegers> prepared,
                  std::shared_ptr<const scheme::tfhe::Evaluator> evaluator);

  const PreparedIntegers& prepared() const { return *prepared_; }

  /// inputs[i] is the tensor of the i-th Input of the program. Progress has a step for every bootstrap. Throws
  /// InputError when a count does not fit the program, or for validations that nobody watches; KeyMismatch when a
  /// ciphertext is of other parameters.
  IntegerRunResult run(std::span<const scheme::tfhe::LweCiphertexts> inputs, IntegerObserver* observer = nullptr,
                       base::Progress& progress = base::Progress::silent()) const;

 private:
  std::shared_ptr<const PreparedIntegers> prepared_;
  std::shared_ptr<const scheme::tfhe::Evaluator> evaluator_;
};

}  // namespace tacit::runtime
