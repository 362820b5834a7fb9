#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Gives every function a separate affine value as input, so that the map of its interval to [-1, 1] costs nothing. The
/// value is an identity if there is no affine value, and a copy if others read the affine value too.
Network isolate_function_inputs(const Network& network);

/// A network whose values are stored in convenient units.
struct Normalised {
  Network network;              ///< functions take inputs in [-1, 1]; ranges are of whole stored values
  std::vector<double> factors;  ///< by value: stored = factor * original + offset
  std::vector<double> offsets;  ///< 0 except for the inputs of functions
};

/// Folds a change of units into the affine maps and the series. If ranges are known:
/// - the input of a function is mapped to [-1, 1];
/// - the operands of products get a bound near `operand_bound`;
/// - every output gets a bound in (output_bound / 2, output_bound].
///
/// Factors other than those of functions' inputs are powers of two.
inline constexpr double kOperandBound = 8;
Normalised normalise(const Network& network, double output_bound, double operand_bound = kOperandBound);

}  // namespace tacit::graph::passes
