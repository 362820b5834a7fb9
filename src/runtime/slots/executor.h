#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/progress.h"
#include "runtime/run.h"
#include "runtime/slots/checkpoints.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/observer.h"
#include "runtime/slots/prepared_program.h"
#include "scheme/ckks/keys.h"

namespace tacit::runtime {

/// The outputs of one run, and its times. If several ranks share the run, the outputs are on rank 0 only.
struct RunResult {
  std::vector<CiphertextArray> outputs;  ///< in program order
  std::vector<double> seconds;           ///< by instruction
};

/// Carries out a prepared program with the evaluation keys of one client. Thread safe; a run uses several threads.
class Executor {
 public:
  /// Throws InputError for a missing key, and KeyMismatch if the keys have other parameters.
  Executor(std::shared_ptr<const PreparedProgram> prepared, std::shared_ptr<const scheme::ckks::EvaluationKeys> keys);

  const PreparedProgram& prepared() const { return *prepared_; }

  /// Runs the program. inputs[i] is the array of the i-th Input of the program. Throws InputError if count, level or
  /// scale does not fit the program, or for validations without an observer. Throws KeyMismatch if a ciphertext has
  /// other parameters. Ranks that share the program call it together, and rank 0 gives the inputs.
  RunResult run(std::span<const CiphertextArray> inputs, Observer* observer = nullptr,
                base::Progress& progress = base::Progress::silent(), const KeptRun& kept = {}) const;
  /// Carries out the checks of `run` on its inputs.
  void check_inputs(std::span<const CiphertextArray> inputs) const;

 private:
  std::shared_ptr<const PreparedProgram> prepared_;
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys_;
};

}  // namespace tacit::runtime
