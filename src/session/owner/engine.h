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

/// What one run answered to its samples, and where the time of the run went.
struct Inference {
  std::vector<std::vector<graph::Tensor>> outputs;  ///< by sample, in the model's order
  double encrypt_seconds = 0, evaluate_seconds = 0, decrypt_seconds = 0;
  std::vector<double> instruction_seconds;             ///< by instruction of the program; empty in a simulation
  std::optional<std::string> refusal;                  ///< of a round: why this run has no outputs
  std::vector<std::optional<std::string>> refusals{};  ///< by sample, or empty: why this sample alone has no outputs
};

/// What keys, and the encoding of weights and transforms, took before the first sample.
struct Preparation {
  double keygen_seconds = 0, encode_seconds = 0;
  std::uint64_t key_bytes = 0;  ///< of the evaluation keys
};

/// Something that answers for a compiled network: under encryption, or by simulation.
class Engine {
 public:
  virtual ~Engine() = default;
  /// One run with 1 to `batch` samples, each with one tensor for each model input. Throws InputError for values outside
  /// the accepted ranges.
  virtual Inference infer(std::span<const std::vector<graph::Tensor>> samples) = 0;
  /// Runs that ranks carry out side by side.
  virtual std::size_t at_once() const { return 1; }
  /// One to at_once() runs. Values outside the accepted ranges refuse their own run alone.
  virtual std::vector<Inference> infer_round(std::span<const std::vector<std::vector<graph::Tensor>>> runs);
  /// Whether many runs may be in `infer` at once; otherwise the parallelism lies within a run.
  virtual bool concurrent() const = 0;
  const Preparation& preparation() const { return preparation_; }
  /// By instruction: the share of its lookups so far that noise moved to the box beside the nearest. Empty where nobody
  /// counts them: the simulation of a network on integers does.
  virtual std::vector<double> neighbour_shares() const { return {}; }

 protected:
  /// Carries out a part of one run of a round, and notes where an InputError refuses it.
  template <class Body>
  static void unless_refused(Inference& inference, const Body& body) {
    try {
      body();
    } catch (const base::InputError& error) {
      inference.refusal = error.what();
    }
  }

  Preparation preparation_{};  ///< nothing in a simulation
};

/// Client and server in one process: generates keys at once, then encrypts, evaluates and decrypts each sample. The
/// executor is given evaluation keys only. Ranks share the work as suits so many `runs` (runtime::RankedRuns). Throws
/// InputError if the memory budget cannot be met.
std::unique_ptr<Engine> make_encrypted_engine(const Compilation& compilation, const base::MemoryBudget& memory,
                                              base::Progress& progress, std::size_t runs = 1);

/// The clear reading with modelled noise of the parameters that the encrypted engine would use. Both must outlive the
/// engine.
std::unique_ptr<Engine> make_simulated_engine(const Compilation& compilation, const slots::ClearProgram& reading);

}  // namespace tacit::session
