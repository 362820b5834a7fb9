#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/graph.h"
#include "program/slots/clear_program.h"
#include "session/owner/compilation.h"

namespace tacit::session {

/// The answers of one run to its samples, and the times of its steps.
struct Inference {
  std::vector<std::vector<graph::Tensor>> outputs;  ///< by sample, in the model's order
  double encrypt_seconds = 0, evaluate_seconds = 0, decrypt_seconds = 0;
  std::vector<double> instruction_seconds;             ///< by instruction of the program; empty in a simulation
  std::optional<std::string> refusal;                  ///< of a round: the reason that this run has no outputs
  std::vector<std::optional<std::string>> refusals{};  ///< by sample, or empty: why this sample has no outputs
};

/// The cost of keys, and of the encoding of weights and transforms, before the first sample.
struct Preparation {
  double keygen_seconds = 0, encode_seconds = 0;
  std::uint64_t key_bytes = 0;  ///< of the evaluation keys
};

/// Answers for a compiled network, under encryption or by simulation.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Runs 1 to `batch` samples, each with one tensor for each model input. Throws InputError for values outside the
  /// accepted ranges.
  virtual Inference infer(std::span<const std::vector<graph::Tensor>> samples) = 0;
  /// The number of runs that ranks carry out at the same time.
  virtual std::size_t at_once() const { return 1; }
  /// Carries out one to at_once() runs. A value outside the accepted ranges refuses only its own run.
  virtual std::vector<Inference> infer_round(std::span<const std::vector<std::vector<graph::Tensor>>> runs);
  /// True if several threads may call `infer` at the same time. Otherwise the threads work within a run.
  virtual bool concurrent() const = 0;
  const Preparation& preparation() const { return preparation_; }
  /// Returns, by instruction, the share of its lookups so far that noise moved to a neighbour of the nearest box. Only
  /// the simulation of a network on integers counts them; it is empty for other engines.
  virtual std::vector<double> neighbour_shares() const { return {}; }

 protected:
  /// Carries out a part of one run of a round. If an InputError refuses the run, records the error.
  template <class Body>
  static void unless_refused(Inference& inference, const Body& body) {
    try {
      body();
    } catch (const base::InputError& error) {
      inference.refusal = error.what();
    }
  }

  Preparation preparation_{};  ///< empty in a simulation
};

/// Makes client and server in one process. Generates keys at once, and then encrypts, evaluates and decrypts each
/// sample. The executor has only evaluation keys. Ranks share the work for this many `runs` (runtime::RankedRuns).
/// Throws InputError if the memory budget cannot be met.
std::unique_ptr<Engine> make_encrypted_engine(const Compilation& compilation, const base::MemoryBudget& memory,
                                              base::Progress& progress, std::size_t runs = 1);

/// Makes the clear reading with noise modelled for the parameters of the encrypted engine. `compilation` and `reading`
/// must outlive the engine.
std::unique_ptr<Engine> make_simulated_engine(const Compilation& compilation, const slots::ClearProgram& reading);

}  // namespace tacit::session
