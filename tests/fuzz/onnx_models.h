#pragma once

#include "target.h"

namespace tacit::fuzz {

/// Small networks of the kinds that people run: dense, convolutional, with constants that are folded, of integers,
/// tables, trees of other opsets.
std::vector<Bytes> small_onnx_models();

/// A model with one thing changed that the format can say: an operator, an attribute, an extent, an edge, a weight, the
/// order of nodes, the opset; or its bytes.
Bytes mutate_onnx(const Bytes& from, const Bytes& other, Random& random);

}  // namespace tacit::fuzz
