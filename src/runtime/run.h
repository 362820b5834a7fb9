#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "program/execution.h"
#include "runtime/communicator.h"

namespace tacit::runtime {

struct Checkpoints;

/// The place that keeps an unfinished run, from which it is resumed; none without checkpoints. If ranks share a run,
/// the first of them keeps it.
struct KeptRun {
  const Checkpoints* checkpoints = nullptr;
  std::size_t run = 0;  ///< number of the run there
};

/// The state of an unfinished run as arrays that one rank has completely.
struct RunArrays {
  program::ValueId next = 0;  ///< next instruction
  std::vector<std::pair<program::ValueId, program::ArrayPtr>> values;
};

/// The part of a run that depends on the scheme: where its values lie, and how they are kept.
class RunPlaces {
 public:
  virtual ~RunPlaces() = default;
  /// Returns an array whose ciphertexts all lie on rank 0; null on the other ranks. Collective.
  virtual program::ArrayPtr whole(const program::ArrayPtr& array) = 0;
  /// Returns the array of a value that rank 0 has completely. The other ranks pass null.
  virtual program::ArrayPtr from_rank_0(program::ValueId id, const program::ArrayPtr& array) = 0;
  /// Called on rank 0: returns the state that a checkpoint holds; none if there is no checkpoint.
  virtual std::optional<RunArrays> load() = 0;
  /// Called on rank 0: replaces the checkpoint.
  virtual void save(const RunArrays& state) = 0;
};

/// The outputs of a run in program order, complete on rank 0 and null on the other ranks, and its times.
struct CarriedOut {
  std::vector<program::ArrayPtr> outputs;
  std::vector<double> seconds;  ///< by instruction; 0 before the checkpoint from which the run was resumed
};

/// Carries out a program of any kind. Ranks that share the run call it together; `ranks` is null for one process.
/// `keeps` says that the run goes on from its checkpoint, and is kept after every stage (program::Reading). It is not
/// kept while writing would take more than a twentieth of the time. `watch` receives every value, with operands that
/// lie on ranks.
CarriedOut carry_out(program::Reading& reading, RunPlaces& places, Communicator* ranks,
                     std::vector<program::ArrayPtr> inputs, bool keeps, const program::Watch& watch = {});

}  // namespace tacit::runtime
