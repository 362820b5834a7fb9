#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/progress.h"
#include "runtime/slots/checkpoints.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/observer.h"
#include "runtime/slots/prepared_program.h"
#include "scheme/ckks/keys.h"

namespace tacit::runtime {

/// The outputs of one run (of several ranks, on rank 0 alone) and where the time went.
struct RunResult {
  std::vector<CiphertextArray> outputs;  ///< in program order
  std::vector<double> seconds;           ///< by instruction
};

/// Where a run is kept on its way, and taken up again; without checkpoints, nowhere. On ranks that share a run, the
/// first of them keeps it.
struct KeptRun {
  const Checkpoints* checkpoints = nullptr;
  std::size_t run = 0;  ///< its number there
};

/// Carries out a prepared program with the evaluation keys of one client. Thread safe; threads are used inside.
class Executor {
 public:
  /// Throws InputError when a key is absent, KeyMismatch when the keys are of other parameters.
  Executor(std::shared_ptr<const PreparedProgram> prepared, std::shared_ptr<const scheme::ckks::EvaluationKeys> keys);

  const PreparedProgram& prepared() const { return *prepared_; }

  /// inputs[i] is the array of the i-th Input of the program. Throws InputError when count, level or scale does not fit
  /// the program, or for validations that nobody watches, KeyMismatch when a ciphertext is of other parameters. Ranks
  /// that share the program call it together; rank 0 gives the inputs.
  RunResult run(std::span<const CiphertextArray> inputs, Observer* observer = nullptr,
                base::Progress& progress = base::Progress::silent(), const KeptRun& kept = {}) const;
  /// What `run` checks of its inputs beforehand.
  void check_inputs(std::span<const CiphertextArray> inputs) const;

 private:
  std::shared_ptr<const PreparedProgram> prepared_;
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys_;
};

}  // namespace tacit::runtime
