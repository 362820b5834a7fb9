#pragma once

#include <cstdint>

#include "params/cost_table.h"
#include "params/interconnect.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// The time and memory of `ranks` ranks for a program, by a table of prices and a model of their network. The model has
/// these rules:
/// - A rank computes with as many threads as the table names.
/// - Before an instruction, the ranks wait until their missing ciphertexts have arrived, at the level it reads
///   (params::Interconnect). Nothing travels during an instruction.
/// - An instruction lasts as long as the rank with its largest share.
/// - Each rank that reads an input of a linear map rotates it itself. All blocks count with equally many diagonals.
/// - Rank 0 has the inputs and gets the outputs.
struct RankPlan {
  std::int64_t ranks = 1;
  double seconds = 0;                 ///< seconds of one run that all ranks share, with waiting_seconds
  double waiting_seconds = 0;         ///< seconds of waiting for each other's ciphertexts
  double received_bytes = 0;          ///< bytes per run, for the rank that receives most
  double sent_bytes = 0;              ///< bytes per run, for all ranks together
  std::int64_t exchanges = 0;         ///< instructions before which ciphertexts travel
  double rank_bytes = 0;              ///< memory of a rank: keys, transforms, its weights and ciphertexts
  double apart_seconds = 0;           ///< seconds of as many runs as ranks, one on each; inputs and outputs travel
  std::int64_t bootstrap_rounds = 0;  ///< number of bootstraps in sequence
  std::int64_t widest_round = 0;      ///< the most ciphertexts of one such round
  /// The speedup per rank against one rank alone: of one shared run, and of as many runs as there are ranks.
  double efficiency = 1, apart_efficiency = 1;
};

/// Plans a program with levels.
RankPlan plan_ranks(const Program& program, const params::CkksLiteral& literal, const params::CostTable& table,
                    const params::Interconnect& network, std::int64_t ranks);

}  // namespace tacit::slots
