#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// What is known about one input of a node before it is placed.
struct KnownInput {
  bool present = false;
  int element_type = 0;
  Shape shape;
  const Tensor* constant = nullptr;
};

/// What inference says about one output.
struct InferredOutput {
  int element_type = 0;  ///< 0 where the operator's schema does not say
  bool known = false;    ///< all extents are static
  Shape shape;
};

/// Asks the onnx library's schema of the operator for the types and shapes of a node's outputs. Throws InputError for
/// an operator that the schemas do not hold and for inputs that do not fit.
std::vector<InferredOutput> infer(const ::onnx::NodeProto& node, const std::vector<KnownInput>& inputs);

}  // namespace tacit::graph::onnx
