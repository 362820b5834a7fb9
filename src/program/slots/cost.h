#pragma once

#include <cstdint>
#include <vector>

#include "params/cost_table.h"
#include "program/slots/memory_plan.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// The cost reading of one instruction.
struct InstructionCost {
  std::int64_t diagonals = 0;        ///< plaintext products of linear maps
  std::int64_t rotations = 0;        ///< key switches that rotate
  std::int64_t multiplications = 0;  ///< relinearised products
  double seconds = 0;                ///< on the threads of the prices
  double key_switch_seconds = 0;     ///< part of them for rotations of linear maps
  double weight_bytes = 0;           ///< encoded ahead
  double weight_seconds = 0;         ///< seconds to encode them
};

struct ProgramCost {
  std::vector<InstructionCost> instructions;
  std::int64_t rotations = 0, diagonals = 0, multiplications = 0;
  std::int64_t ciphertexts = 0;  ///< arriving and leaving
  double seconds = 0;
  double key_seconds = 0;     ///< making the evaluation keys
  double encode_seconds = 0;  ///< encoding weights and the transforms of bootstraps
  MemoryPlan memory;
};

/// The weights that every run encodes anew.
struct EncodedAnew {
  std::vector<std::size_t> instructions;  ///< owners of the weights, the smallest first
  double bytes = 0, seconds = 0;
};
/// Returns the weights to encode anew if `available` bytes are available in total. They are those of the smallest
/// instructions. The largest of them must fit in addition to the rest.
EncodedAnew encoded_anew(const ProgramCost& cost, double available);

/// Prices a program with levels, before any key exists.
ProgramCost price(const Program& program, const params::CkksLiteral& literal, const params::CostTable& table);

}  // namespace tacit::slots
