#pragma once

#include "graph/graph.h"

namespace tacit::graph::passes {

/// Replaces operators that are made of simpler ones by those.
/// - A linear estimator becomes Gemm and an operator that turns its scores into labels.
/// - A support vector machine becomes its kernel.
/// - A tree ensemble becomes its scores and an operator that makes labels of them.
/// - A norm becomes a sum of squares and a root.
/// - Quantised operators become those on real numbers (write_out_quantisation.h).
/// - Distances from the rows of a constant become products (write_out_distances.h).
/// - A cast of whole reals to integers rounds first (whole_numbers.h).
/// - Pooling by a norm of order 1 or 2 becomes a convolution and a root.
///
/// The tensors of `model` keep their ids and names, and new ones follow. Throws InputError naming the node if its
/// attributes have no such form.
Graph write_out(const Graph& model);

}  // namespace tacit::graph::passes
