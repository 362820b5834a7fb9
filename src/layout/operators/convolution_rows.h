#pragma once

#include <cstddef>
#include <span>

#include "layout/layout.h"

namespace tacit::layout {

/// So many output channels share the inputs that are loaded: their sums stay in registers with AVX2.
inline constexpr Index kOutputsAtOnce = 6;
/// Lanes come in groups of so many.
inline constexpr std::size_t kLanesAtOnce = 8;

/// A row of outputs in some output channels of a convolution, at most kOutputsAtOnce.
struct ConvolutionRow {
  /// A tap on a row of inputs.
  struct Tap {
    const double* in;       ///< [position][channel][lane]
    const double* weights;  ///< [channel][output channel]
    Index from;             ///< output x reads position x * stride + from,
    Index first, end;       ///< where first <= x < end
  };
  std::span<const Tap> taps;
  Index channels = 0, output_channels = 0;
  Index outputs = 0, stride = 1;  ///< of a row
  std::size_t lanes = 0;          ///< a multiple of kLanesAtOnce
  double* out = nullptr;          ///< [output][lane] of the first channel
  std::size_t out_step = 0;       ///< numbers from one output channel to the next
};

/// out += sums over taps and channels, in this order and each product fused with its addition: the same bits on every
/// processor that has fused multiply-adds.
void add_convolution_row(const ConvolutionRow& row);

}  // namespace tacit::layout
