#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/progress.h"
#include "program/program.h"
#include "runtime/ciphertext_file.h"
#include "runtime/observer.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::runtime {

struct ExecutorOptions {
  int threads = 0;                         ///< of the whole process; 0 leaves the limit as it is
  std::uint64_t memory_budget_bytes = 0;   ///< for keys, encoded weights and values together; 0 = none
  base::Progress* progress = nullptr;
};

/// What an executor needs, in bytes, before it allocates it.
struct MemoryPlan {
  std::uint64_t keys = 0;
  std::uint64_t weights = 0;          ///< encoded, all of them
  std::uint64_t largest_weights = 0;  ///< encoded, of the largest instruction
  std::uint64_t values = 0;           ///< ciphertexts alive at once, scratch included
};

/// The outputs of one run and where the time went.
struct RunResult {
  std::vector<CiphertextArray> outputs;  ///< in program order
  std::vector<double> seconds;           ///< by instruction
};

/// Carries out a program on ciphertexts with evaluation keys only. Refuses nothing at run time that it could have
/// refused before: the constructor checks program, parameters and keys against each other.
class Executor {
 public:
  /// `program` has levels and scales assigned. Throws InputError when a level or the slot count does not fit the
  /// parameters, or when an evaluation key is absent (by instruction and rotation).
  Executor(scheme::ckks::ContextPtr context, program::Program program,
           std::shared_ptr<const scheme::ckks::EvaluationKeys> keys, ExecutorOptions options = {});
  ~Executor();

  MemoryPlan memory() const;
  /// Encodes the weights once if they fit the budget; else each is encoded when it is used. Throws InputError with the
  /// need and the budget when not even that fits.
  void prepare();
  /// inputs[i] is the array of the i-th Input of the program. Throws InputError when count, level or scale does not fit
  /// the program, KeyMismatch when a ciphertext is of other parameters. Calls `prepare` if that has not been done.
  RunResult run(std::span<const CiphertextArray> inputs, Observer* observer = nullptr);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacit::runtime
