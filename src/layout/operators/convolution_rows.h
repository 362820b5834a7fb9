#pragma once

#include <cstddef>
#include <span>

#include "layout/layout.h"

namespace tacit::layout {

/// The number of output channels that share loaded inputs. Their sums stay in registers with AVX2.
inline constexpr Index kOutputsAtOnce = 6;
/// Lanes come in groups of this size.
inline constexpr std::size_t kLanesAtOnce = 8;

/// A row of outputs in at most kOutputsAtOnce output channels of a convolution.
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
  Index outputs = 0, stride = 1;  ///< outputs of a row, and the stride of the window
  std::size_t lanes = 0;          ///< a multiple of kLanesAtOnce
  double* out = nullptr;          ///< [output][lane] of the first channel
  std::size_t out_step = 0;       ///< numbers from one output channel to the next
};

/// Adds the sums over taps and channels to `out`, in this order. Each product is fused with its addition. The bits are
/// the same on every processor that has fused multiply-adds.
void add_convolution_row(const ConvolutionRow& row);

}  // namespace tacit::layout
