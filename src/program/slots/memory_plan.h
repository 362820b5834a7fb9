#pragma once

#include "layout/placement.h"
#include "params/account.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// The memory that a program takes, in bytes, before any key exists. `price` fills it.
struct MemoryPlan {
  double keys = 0;
  double values = 0;           ///< ciphertexts alive at once with the scratch of the instruction that runs, at most
  double transforms = 0;       ///< of bootstraps, encoded
  double weights = 0;          ///< diagonals and plaintexts, encoded; a periodic diagonal is held once a period
  double largest_weights = 0;  ///< of them, those of one instruction
  /// With all weights encoded ahead.
  double peak() const { return keys + values + transforms + weights; }
  /// With the weights of an instruction encoded when it is carried out.
  double least() const { return keys + values + transforms + largest_weights; }
};

/// Ciphertexts of a program with levels that are alive at once, with the scratch of the instruction that runs, at most.
/// `threads` work on the ciphertexts of one array at once. Where ranks share the program: of one with the largest share
/// of everything, and the inputs of a linear map that it was sent.
double value_bytes(const Program& program, const params::Account& account, int threads,
                   const layout::Placement& placement = layout::Placement(1));

/// The transforms of a program's bootstraps, of which those of one form to one level share theirs.
double transform_bytes(const Program& program, const params::Account& account);
/// Encoding them.
params::Work encode_transforms(const Program& program, const params::Account& account);

}  // namespace tacit::slots
