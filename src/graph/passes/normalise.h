#pragma once

#include <vector>

#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// Gives every function an affine value of its own as input (an identity where there is none; a copy of an affine value
/// that others read too), so that the map of its interval to [-1, 1] costs nothing.
Network isolate_function_inputs(const Network& network);

/// A network whose values are stored in convenient units.
struct Normalised {
  Network
      network;  ///< functions take their input in [-1, 1]; ranges are those of the stored numbers, of values as a whole
  std::vector<double> factors;  ///< by value: stored = factor * original + offset
  std::vector<double> offsets;  ///< 0 but for the inputs of functions
};

/// Folds a change of units into the affine maps and the series: the input of a function is mapped to [-1, 1], the
/// operands of products get a bound near `operand_bound`, and every output a bound in (output_bound / 2, output_bound],
/// where ranges are known. Factors other than those of functions' inputs are powers of two.
inline constexpr double kOperandBound = 8;
Normalised normalise(const Network& network, double output_bound, double operand_bound = kOperandBound);

}  // namespace tacit::graph::passes
