#pragma once

#include <cstdint>

#include "params/cost_table.h"
#include "params/network.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// What so many ranks take for a program, by a table of prices and a model of their network.
///
/// The model: a rank computes with as many threads as the table names. Before an instruction the ranks wait until the
/// ciphertexts that they lack have arrived, at the level it reads (params::Network); nothing travels meanwhile. An
/// instruction lasts as long as the rank with the largest share of it. Each rank that reads an input of a linear map
/// rotates it by itself; blocks are taken to have equally many diagonals. Rank 0 has the inputs and gets the outputs.
struct RankPlan {
  std::int64_t ranks = 1;
  double seconds = 0;          ///< of one run that all ranks share, with
  double waiting_seconds = 0;  ///< what they wait for each other's ciphertexts
  double received_bytes = 0;   ///< in a run, by the rank that gets most
  double sent_bytes = 0;       ///< in a run, by all together
  std::int64_t exchanges = 0;  ///< instructions before which something travels
  double rank_bytes = 0;       ///< memory of a rank: keys, transforms, its weights and ciphertexts
  double apart_seconds = 0;    ///< of as many runs as there are ranks, one on each, inputs and outputs travelling
  std::int64_t bootstrap_rounds = 0;  ///< bootstraps that follow on each other
  std::int64_t widest_round = 0;      ///< the most ciphertexts of one such round
  /// How well the ranks are used by one run, and by as many as there are ranks, against one rank alone.
  double efficiency = 1, apart_efficiency = 1;
};

/// Of a program with levels.
RankPlan plan_ranks(const Program& program, const params::CkksLiteral& literal, const params::CostTable& table,
                    const params::Network& network, std::int64_t ranks);

}  // namespace tacit::slots
