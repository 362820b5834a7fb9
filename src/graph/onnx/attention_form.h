#pragma once

#include "graph/onnx/node_change.h"

namespace tacit::graph::onnx {

/// Writes an Attention node (opset 23) out as products of matrices and a Softmax, for any number of heads that share
/// keys. A causal mask and a mask input are added to the scores. Refuses caches of keys and values, and outputs other
/// than the first.
void attention_written_out(NodeChange& change);

}  // namespace tacit::graph::onnx
