#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/memory_budget.h"
#include "base/progress.h"
#include "graph/graph.h"
#include "program/slots/clear_program.h"
#include "session/owner/compilation.h"

namespace tacit::session {

/// The outputs of one sample, in the model's order, and where the time went.
struct Inference {
  std::vector<graph::Tensor> outputs;
  double encrypt_seconds = 0, evaluate_seconds = 0, decrypt_seconds = 0;
  std::vector<double> instruction_seconds;  ///< by instruction of the program; empty in a simulation
};

/// Something that answers for a compiled network: under encryption, or by simulation.
class Engine {
 public:
  virtual ~Engine() = default;
  /// One sample, one tensor for each model input. Throws InputError for values outside the accepted ranges.
  virtual Inference infer(std::span<const graph::Tensor> sample) = 0;
  /// How many samples may be in `infer` at once; the rest of the parallelism lies within a sample.
  virtual bool concurrent() const = 0;
  /// What keys, and the encoding of weights and transforms, took before the first sample.
  virtual double keygen_seconds() const = 0;
  virtual double encode_seconds() const = 0;
  virtual std::uint64_t key_bytes() const = 0;  ///< of the evaluation keys
};

/// Client and server in one process: generates keys at once, then encrypts, evaluates and decrypts each sample. The
/// executor is given evaluation keys only. Throws InputError if the memory budget cannot be met.
std::unique_ptr<Engine> make_encrypted_engine(const Compilation& compilation, const base::MemoryBudget& memory,
                                              base::Progress& progress);

/// The clear reading with modelled noise of the parameters that the encrypted engine would use. Both must outlive the
/// engine.
std::unique_ptr<Engine> make_simulated_engine(const Compilation& compilation, const slots::ClearProgram& reading);

}  // namespace tacit::session
