#pragma once

#include "graph/onnx/node_change.h"

namespace tacit::graph::onnx {

/// Writes an LSTM, GRU or RNN node out as products with matrices, sums, products and activations, one step of the
/// sequence after another. Both directions of a bidirectional layer are computed side by side. The weights and the
/// lengths of sequences must be constants.
void recurrence_written_out(NodeChange& change);

}  // namespace tacit::graph::onnx
