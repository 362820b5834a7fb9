#pragma once

#include "layout/layout.h"

namespace tacit::layout {

/// Counts the rotations of a 1 x 1 convolution on a mesh by published methods. They rotate a block's input once for
/// every channel ("Array Sharding for Large Operation/Model", ANT-ACE, Lai et al. 2025, section "Replication driven
/// conv").
struct ChannelRotations {
  Index input_channels = 1;   ///< input channels of the whole convolution
  Index X = 1, Y = 1, Z = 1;  ///< blocks of output channels, input channels and rows

  Index blocks() const { return X * Y * Z; }
  /// Returns the input channels of a block, which is padded if they do not divide.
  Index block_channels() const { return (input_channels + Y - 1) / Y; }
  /// Counts for a block that nearly fills its ciphertext. A cyclic roll takes two rotations, masks and a level.
  Index cyclic_roll() const { return blocks() * 2 * block_channels(); }
  /// Counts for a block with a copy of itself: one rotation per channel, and one that makes the copy.
  Index replicated() const { return blocks() * (block_channels() + 1); }
  /// Counts the same with baby and giant steps. A giant step counts as a roll of two rotations. Steps are the powers of
  /// two that need the fewest rotations.
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
