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

/// A program with one client's keys on all ranks, for a known number of independent runs. If there are at least as many
/// runs as ranks, every rank carries out runs by itself, one in each round. If there are fewer, consecutive ranks share
/// one run (layout::Placement decides which). Results are the same, bit for bit. On one rank it is an Executor.
///
/// Rank 0 sends the program, the evaluation keys and the inputs; results come back to it.
class RankedRuns {
 public:
  /// Called on rank 0, while the others are in `serve`. Throws as PreparedProgram and Executor do.
  RankedRuns(Communicator& ranks, scheme::ckks::ContextPtr context, slots::Program program,
             std::shared_ptr<const scheme::ckks::EvaluationKeys> keys, std::size_t runs, const PrepareOptions& options,
             std::optional<Checkpoints> checkpoints = std::nullopt);
  /// Called on another rank, with `bytes` of rank 0's order. It receives the broadcasts that follow.
  RankedRuns(Communicator& ranks, std::span<const std::uint8_t> order);
  ~RankedRuns();

  const PreparedProgram& prepared() const { return *prepared_; }
  /// Called on rank 0: returns when every rank has encoded its weights. Without this call the first run encodes.
  void encode();
  /// The most runs per round.
  std::size_t at_once() const { return static_cast<std::size_t>(groups_); }
  /// Called on rank 0, with 1 to at_once() runs. Returns one result per run, in order, with the times of the rank that
  /// led it. The first run has the number `first`, and the observer watches only that run.
  std::vector<RunResult> run(std::span<const std::vector<CiphertextArray>> inputs, std::size_t first = 0,
                             Observer* observer = nullptr, base::Progress& progress = base::Progress::silent());
  /// Called on another rank: carries out its part of the round in an order of rank 0.
  void take_part(base::ByteReader& order);

 private:
  void form_groups(std::size_t runs);
  /// Returns the rank that leads a run.
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
  layout::Index groups_ = 1;  ///< groups that carry out one run of a round each
  layout::Index group_ = 0;   ///< group of this rank
  std::unique_ptr<Communicator> group_ranks_;
  std::shared_ptr<const PreparedProgram> prepared_;
  std::unique_ptr<const Executor> executor_;
};

}  // namespace tacit::runtime
