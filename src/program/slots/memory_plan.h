#pragma once

#include "layout/placement.h"
#include "params/account.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// The memory that a program takes, in bytes, before any key exists. `price` fills it.
struct MemoryPlan {
  double keys = 0;
  double values = 0;      ///< largest sum of the ciphertexts alive at once and the scratch of the running instruction
  double transforms = 0;  ///< encoded transforms of bootstraps
  double weights = 0;     ///< encoded diagonals and plaintexts; a periodic diagonal is held once per period
  double largest_weights = 0;  ///< the part of one instruction, at most
  /// Returns the memory with all weights encoded ahead.
  double peak() const { return keys + values + transforms + weights; }
  /// Returns the memory if the weights of an instruction are encoded when it is executed.
  double least() const { return keys + values + transforms + largest_weights; }
};

/// Returns the largest sum of the ciphertexts alive at once and the scratch of the running instruction, for a program
/// with levels. `threads` threads work on the ciphertexts of one array at once. If ranks share the program, it is the
/// memory of a rank with the largest share of everything. It includes the inputs of a linear map that the rank
/// received.
double value_bytes(const Program& program, const params::Account& account, int threads,
                   const layout::Placement& placement = layout::Placement(1));

/// Returns the bytes of the transforms of a program's bootstraps. Bootstraps of one form to one level share theirs.
double transform_bytes(const Program& program, const params::Account& account);
/// Returns the work of encoding them.
params::Work encode_transforms(const Program& program, const params::Account& account);

}  // namespace tacit::slots
