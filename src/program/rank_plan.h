#pragma once

#include <cstdint>
#include <vector>

#include "layout/placement.h"
#include "params/interconnect.h"

namespace tacit::program {

/// The time and memory of `ranks` ranks for a program of any kind, by prices and a model of their network. The model
/// has these rules:
/// - A rank computes with as many threads as the prices name.
/// - Before an instruction, the ranks wait until their missing ciphertexts have arrived (params::Interconnect). Nothing
///   travels during an instruction.
/// - An instruction lasts as long as the rank with its largest share.
/// - Rank 0 has the inputs and gets the outputs.
struct RankPlan {
  std::int64_t ranks = 1;
  double seconds = 0;                 ///< seconds of one run that all ranks share, with waiting_seconds
  double waiting_seconds = 0;         ///< seconds of waiting for each other's ciphertexts
  double received_bytes = 0;          ///< bytes per run, for the rank that receives most
  double sent_bytes = 0;              ///< bytes per run, for all ranks together
  std::int64_t exchanges = 0;         ///< instructions before which ciphertexts travel
  double rank_bytes = 0;              ///< memory of a rank: keys, transforms or tables, its weights and ciphertexts
  double apart_seconds = 0;           ///< seconds of as many runs as ranks, one on each; inputs and outputs travel
  std::int64_t bootstrap_rounds = 0;  ///< number of bootstraps in sequence
  std::int64_t widest_round = 0;      ///< the most ciphertexts of one such round
  /// The speedup per rank against one rank alone: of one shared run, and of as many runs as there are ranks.
  double efficiency = 1, apart_efficiency = 1;
};

/// Counts what ranks send to each other, and how long they wait and compute. Instructions come in order.
class RankTraffic {
 public:
  using Needs = std::vector<std::vector<layout::Index>>;  ///< by rank, the members of an array that it reads

  RankTraffic(const params::Interconnect& network, layout::Index ranks);
  /// Sends the members of an array, of `bytes` each, to the ranks that read them in the next instruction.
  /// holders[member] are the ranks that hold a member.
  void move(const std::vector<layout::Interval>& holders, const Needs& needs, double bytes);
  /// Waits until all that moved since the last call has arrived, then computes for so many seconds.
  void compute(double seconds);
  /// Count the bytes of an input and of an output of a run that one rank carries out for rank 0.
  void carry_input(double bytes) { input_bytes_ += bytes; }
  void carry_output(double bytes) { output_bytes_ += bytes; }
  /// Returns the plan without rounds of bootstraps. One rank alone takes `alone_seconds`. A rank holds `rank_bytes`.
  RankPlan plan(double alone_seconds, double rank_bytes) const;

 private:
  const params::Interconnect network_;
  std::vector<double> in_, out_;  ///< by rank, bytes that move before the next instruction
  std::vector<double> received_;  ///< by rank
  double input_bytes_ = 0, output_bytes_ = 0;
  RankPlan plan_;
};

/// Counts rounds of bootstraps: those of a round depend on no other bootstrap of the round.
class BootstrapRounds {
 public:
  /// Adds bootstraps that follow on `before` rounds. Returns the number of rounds after them.
  std::int64_t add(std::int64_t before, std::int64_t ciphertexts);
  void write(RankPlan& plan) const;

 private:
  std::vector<std::int64_t> widths_;  ///< by round
};

}  // namespace tacit::program
