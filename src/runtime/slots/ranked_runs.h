#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/byte_stream.h"
#include "base/progress.h"
#include "layout/placement.h"
#include "runtime/communicator.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/prepared_program.h"

namespace tacit::runtime {

/// A program with one client's keys on all ranks, for a known number of independent runs. Where these are as many as
/// the ranks or more, every rank carries out runs by itself, one of each round; where they are fewer, a stretch of
/// ranks shares one (layout::Placement says which). Results are the same, bit for bit. On one rank it is an Executor.
///
/// Rank 0 sends the program, the evaluation keys and the inputs; results come back to it.
class RankedRuns {
 public:
  /// On rank 0, with the others in `serve`. Throws as PreparedProgram and Executor do.
  RankedRuns(Communicator& ranks, scheme::ckks::ContextPtr context, slots::Program program,
             std::shared_ptr<const scheme::ckks::EvaluationKeys> keys, std::size_t runs, const PrepareOptions& options,
             std::optional<Checkpoints> checkpoints = std::nullopt);
  /// On another rank: what `bytes` of rank 0's order and the broadcasts behind it say.
  RankedRuns(Communicator& ranks, std::span<const std::uint8_t> order);
  ~RankedRuns();

  const PreparedProgram& prepared() const { return *prepared_; }
  /// On rank 0: returns when every rank has encoded its weights. The first run does it if nobody did before.
  void encode();
  /// Runs of a round, at most.
  std::size_t at_once() const { return static_cast<std::size_t>(groups_); }
  /// On rank 0: one result a run, in order, with the seconds of the rank that led it. 1 to at_once() runs, the first of
  /// which has the number `first`; the observer watches that one.
  std::vector<RunResult> run(std::span<const std::vector<CiphertextArray>> inputs, std::size_t first = 0,
                             Observer* observer = nullptr, base::Progress& progress = base::Progress::silent());
  /// On another rank: its part of the round that an order of rank 0 asks for.
  void take_part(base::ByteReader& order);

 private:
  void form_groups(std::size_t runs);
  /// The rank that leads a run.
  layout::Index leader(std::size_t run) const {
    return placement_.ranks_of(static_cast<layout::Index>(run), groups_).begin;
  }
  std::vector<RunResult> round(std::size_t runs, std::size_t first,
                               std::span<const std::vector<CiphertextArray>> inputs, Observer* observer,
                               base::Progress& progress);
  KeptRun kept(std::size_t run) const;

  Communicator& ranks_;
  layout::Placement placement_;
  std::optional<Checkpoints> checkpoints_;
  bool encoded_ = false;
  layout::Index groups_ = 1;  ///< each carries out one run of a round
  layout::Index group_ = 0;   ///< this rank's
  std::unique_ptr<Communicator> group_ranks_;
  std::shared_ptr<const PreparedProgram> prepared_;
  std::unique_ptr<const Executor> executor_;
};

}  // namespace tacit::runtime
