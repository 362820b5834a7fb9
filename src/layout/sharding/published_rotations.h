#pragma once

#include "layout/layout.h"

namespace tacit::layout {

/// A convolution of 1 x 1 on a mesh, as published methods carry it out. They rotate a block's input once for every
/// channel ("Array Sharding for Large Operation/Model", ANT-ACE, Lai et al. 2025, section "Replication driven conv").
struct ChannelRotations {
  Index input_channels = 1;   ///< of the whole convolution
  Index X = 1, Y = 1, Z = 1;  ///< blocks of output channels, input channels and rows

  Index blocks() const { return X * Y * Z; }
  /// Of a block; what does not divide is padded.
  Index block_channels() const { return (input_channels + Y - 1) / Y; }
  /// A block that nearly fills its ciphertext flushes itself: a cyclic roll takes two rotations, masks and a level.
  Index cyclic_roll() const { return blocks() * 2 * block_channels(); }
  /// A block with a copy of itself beside it: a rotation a channel, and one that makes the copy.
  Index replicated() const { return blocks() * (block_channels() + 1); }
  /// The same by baby and giant steps, a giant step counted as a roll of two rotations. Steps are powers of two, those
  /// that need the fewest rotations.
  Index replicated_by_steps() const {
    Index fewest = 0;
    for (Index babies = 1; babies <= block_channels(); babies *= 2) {
      const Index giants = (block_channels() + babies - 1) / babies, rotations = babies + 2 * giants;
      if (fewest == 0 || rotations < fewest) fewest = rotations;
    }
    return blocks() * fewest;
  }
};

}  // namespace tacit::layout
