#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/byte_stream.h"
#include "runtime/communicator.h"

/// The work of ranks for a command. Rank 0 carries the command out, and the other ranks help to compute with
/// ciphertexts. They hold no files and no secret. Rank 0 sends them a program, evaluation keys and ciphertexts.
namespace tacit::runtime {

/// An order of rank 0 to the others.
enum class Order : std::uint8_t {
  leave = 0,
  prepare_slots = 1,     ///< next come a program on slots and evaluation keys (runtime/ranked_runs.h)
  run = 2,               ///< next come inputs of the last program
  prepare_integers = 3,  ///< next come a program on integers and evaluation keys
};

/// A program that rank 0 has sent to the others.
class PreparedRuns {
 public:
  virtual ~PreparedRuns() = default;
  /// Called on another rank: carries out its part of the round in an order of rank 0.
  virtual void take_part(base::ByteReader& order) = 0;
};

/// Sends an order with its bytes from rank 0. Does nothing if there is one rank.
void give_order(Communicator& ranks, Order order, std::span<const std::uint8_t> bytes = {});

/// Carries out orders on the other ranks, until rank 0 orders them to leave.
void serve(Communicator& ranks);

/// Compares the version and the arguments (in one text) of every rank with those of rank 0. If they differ, rank 0
/// throws KeyMismatch naming the first such rank, and then ends the others. Collective.
void require_alike(Communicator& ranks, std::string_view version, std::string_view arguments);

}  // namespace tacit::runtime
