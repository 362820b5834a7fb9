#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/progress.h"
#include "runtime/integers/prepared_integers.h"
#include "runtime/run.h"
#include "scheme/tfhe/evaluator.h"

namespace tacit::runtime {

/// Receives every value of a run, in order, for validation.
class IntegerObserver {
 public:
  virtual ~IntegerObserver() = default;
  /// `ciphertexts` are those of the value, one per element. The ciphertexts of an output are those of its operand.
  virtual void value(integers::ValueId id, const scheme::tfhe::LweCiphertexts& ciphertexts) = 0;
};

/// The outputs of one run, and its times. If several ranks share the run, the outputs are on rank 0 only.
struct IntegerRunResult {
  std::vector<scheme::tfhe::LweCiphertexts> outputs;  ///< in program order
  std::vector<double> seconds;                        ///< by instruction
};

/// Expands the tensors of one input of a program. A seed replaces a thousand words per ciphertext, so the number of
/// ciphertexts is compared with the program's before the expansion. Throws InputError for other tensors than the
/// program's inputs.
std::vector<scheme::tfhe::LweCiphertexts> expand_inputs(const scheme::tfhe::Context& context,
                                                        const integers::Program& program,
                                                        std::span<const scheme::tfhe::FreshLweCiphertexts> tensors);

/// Carries out a prepared program on integers with the evaluation keys of one client. Thread safe; a run uses several
/// threads.
class IntegerExecutor {
 public:
  /// Throws KeyMismatch if the keys have other parameters.
  IntegerExecutor(std::shared_ptr<const PreparedIntegers> prepared,
                  std::shared_ptr<const scheme::tfhe::Evaluator> evaluator);

  const PreparedIntegers& prepared() const { return *prepared_; }

  /// Runs the program. inputs[i] is the tensor of the i-th Input of the program. Progress has a step for every
  /// bootstrap that this process carries out. Throws InputError if a count does not fit the program, or for validations
  /// without an observer. Throws KeyMismatch if a ciphertext has other parameters. Ranks that share the program call it
  /// together without an observer, and rank 0 gives the inputs.
  IntegerRunResult run(std::span<const scheme::tfhe::LweCiphertexts> inputs, IntegerObserver* observer = nullptr,
                       base::Progress& progress = base::Progress::silent(), const KeptRun& kept = {}) const;
  /// Carries out the checks of `run` on its inputs.
  void check_inputs(std::span<const scheme::tfhe::LweCiphertexts> inputs) const;

 private:
  std::shared_ptr<const PreparedIntegers> prepared_;
  std::shared_ptr<const scheme::tfhe::Evaluator> evaluator_;
};

}  // namespace tacit::runtime
