#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "program/program.h"
#include "runtime/ciphertext_file.h"
#include "runtime/observer.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"

namespace tacit::runtime {

struct ExecutorOptions {
  int threads = 0;            ///< of the whole process; 0 leaves the limit as it is
  base::MemoryBudget memory;  ///< for keys, encoded weights and values together
  base::Progress* progress = nullptr;
};

/// Where an executor's memory goes, in bytes.
struct MemoryUse {
  std::uint64_t keys = 0;
  std::uint64_t values = 0;          ///< by program::value_bytes
  std::uint64_t transforms = 0;      ///< of bootstraps, encoded
  std::uint64_t weights = 0;         ///< encoded, all of them
  std::uint64_t held_weights = 0;    ///< those that stay between uses
  std::uint64_t largest_unheld = 0;  ///< the largest instruction that is encoded at every use
  std::uint64_t peak() const { return keys + values + transforms + held_weights + largest_unheld; }
};

/// The outputs of one run and where the time went.
struct RunResult {
  std::vector<CiphertextArray> outputs;  ///< in program order
  std::vector<double> seconds;           ///< by instruction
};

/// Carries out a program on ciphertexts with evaluation keys only. The constructor checks program, parameters and keys
/// against each other, so that a run does not fail half way. Not thread safe; threads are used inside.
class Executor {
 public:
  /// `program` has levels and scales assigned. Throws InputError when levels or slots do not fit the parameters or a
  /// key is absent, KeyMismatch when the keys are of other parameters.
  Executor(scheme::ckks::ContextPtr context, program::Program program,
           std::shared_ptr<const scheme::ckks::EvaluationKeys> keys, ExecutorOptions options = {});
  ~Executor();
  Executor(Executor&&) noexcept;

  const program::Program& program() const;

  /// Encodes the weights once, as far as they fit the budget; the others are encoded at every use. Throws InputError
  /// with the need and the budget when not even that fits.
  void prepare();
  /// What was planned; the weights are known after `prepare`.
  MemoryUse memory() const;

  /// inputs[i] is the array of the i-th Input of the program. Throws InputError when count, level or scale does not fit
  /// the program, KeyMismatch when a ciphertext is of other parameters. Prepares if that has not been done.
  RunResult run(std::span<const CiphertextArray> inputs, Observer* observer = nullptr);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacit::runtime
