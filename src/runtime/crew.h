#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/communicator.h"

/// Rank 0 does what the command says, and calls on the other ranks where ciphertexts are computed with. They hold no
/// files and no secret: a program, evaluation keys and ciphertexts come from rank 0.
namespace tacit::runtime {

/// What rank 0 asks the others for.
enum class Order : std::uint8_t {
  leave = 0,
  prepare_slots = 1,  ///< a program on slots and evaluation keys follow (runtime/slots/ranked_runs.h)
  run_slots = 2,      ///< inputs of the last program follow
};

/// On rank 0: sends an order with its bytes. Does nothing on one rank.
void give_order(Communicator& ranks, Order order, std::span<const std::uint8_t> bytes = {});

/// On the other ranks: carries out orders until rank 0 lets them leave.
void serve(Communicator& ranks);

/// Compares the version and the arguments (in one text) of every rank with those of rank 0. Where they differ, rank 0
/// throws KeyMismatch, which names the first rank that does, and then ends the others. Collective.
void require_alike(Communicator& ranks, std::string_view version, std::string_view arguments);

}  // namespace tacit::runtime
