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

/// The bounds of stored values that are not outputs.
struct StoredBounds {
  double operands = 8;  ///< of the operands of products
  double others = 1;    ///< of values that neither a product nor a function reads
};

/// The bounds on a set that bootstraps. A bootstrap takes values in [-1, 1]. Those that are refreshed without being the
/// input of a function may reach twice the range that samples show.
inline constexpr StoredBounds kRefreshableBounds{.operands = 1, .others = 0.5};

/// Folds a change of units into the affine maps and the series. If ranges are known:
/// - the input of a function is mapped to [-1, 1];
/// - other values get a bound between half of the one that is asked for and that one;
/// - a function gets a larger bound if a product that reads it would otherwise be small.
///
/// Factors other than those of functions' inputs are powers of two.
Normalised normalise(const Network& network, double output_bound, const StoredBounds& bounds = {});

}  // namespace tacit::graph::passes
