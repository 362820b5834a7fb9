#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "program/slots/execute.h"
#include "runtime/prepare_options.h"
#include "scheme/ckks/context.h"

namespace tacit::runtime {

class Bootstrappers;

/// The memory of a prepared program and the clients that run it, in bytes.
struct MemoryUse {
  std::uint64_t keys = 0;
  std::uint64_t values = 0;          ///< by slots::value_bytes
  std::uint64_t transforms = 0;      ///< of bootstraps, encoded
  std::uint64_t weights = 0;         ///< encoded, all of them
  std::uint64_t held_weights = 0;    ///< weights that stay between uses
  std::uint64_t largest_unheld = 0;  ///< largest instruction that is encoded at every use
  std::uint64_t peak() const { return keys + values + transforms + held_weights + largest_unheld; }
};

/// A program with encoded weights and encoded transforms of its bootstraps. It needs no keys: any number of clients and
/// threads share it. Thread safe.
class PreparedProgram {
 public:
  /// Checks program and parameters against each other, so that a run does not fail half way. `program` has levels and
  /// scales. Throws InputError if levels or slots do not fit the parameters.
  PreparedProgram(scheme::ckks::ContextPtr context, slots::Program program, const PrepareOptions& options = {});
  ~PreparedProgram();

  const scheme::ckks::ContextPtr& context() const { return context_; }
  const slots::Program& program() const { return program_; }

  /// Encodes once, as many weights as fit the budget. The others are encoded at every use. Throws InputError with the
  /// need and the budget if not even that fits. Without this call the first run encodes.
  void encode() const;
  /// Returns the planned memory. Weights and transforms are known after `encode`.
  MemoryUse memory() const;

  /// Null if one process carries out a run.
  Communicator* ranks() const { return options_.ranks; }
  /// The encoded weights, after `encode`.
  slots::Weights& weights() const;
  const Bootstrappers& bootstrappers() const;

 private:
  struct Encoded;
  const scheme::ckks::ContextPtr context_;
  const slots::Program program_;
  const PrepareOptions options_;
  mutable std::mutex mutex_;  ///< protects the members below until they are encoded
  mutable MemoryUse memory_;
  mutable std::unique_ptr<Encoded> encoded_;
};

}  // namespace tacit::runtime
