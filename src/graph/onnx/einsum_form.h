#pragma once

#include "graph/onnx/node_change.h"

namespace tacit::graph::onnx {

/// Writes an Einsum of two tensors that are not constants out as a product of two stacks of matrices (MatMul). Other
/// equations keep their form: with an ellipsis, with a letter twice in a term, or with axes of extent 1 that repeat.
void einsum_as_product(NodeChange& change);

}  // namespace tacit::graph::onnx
