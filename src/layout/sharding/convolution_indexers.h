#pragma once

#include "layout/layout.h"

namespace tacit::layout {

/// Gives the block of each operand that a device of a convolution's mesh loads and stores. The device is at position x
/// of the blocks of output channels, y of input channels and z of rows. Operands are arrays [blocks][block shape].
struct ConvolutionIndexers {
  Index X = 1, Y = 1, Z = 1;  ///< extents of the mesh

  Index input(Index y, Index z) const { return y * Z + z; }
  Index weight(Index x, Index y) const { return x * Y + y; }
  static Index bias(Index x) { return x; }
  Index output(Index x, Index z) const { return x * Z + z; }
};

}  // namespace tacit::layout
