#pragma once

#include <onnx/onnx_pb.h>

#include <vector>

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// The known properties of one input of a node, before the node is added.
struct KnownInput {
  bool present = false;
  int element_type = 0;
  Shape shape;
  const Tensor* constant = nullptr;
};

/// The inferred type and shape of one output.
struct InferredOutput {
  int element_type = 0;  ///< 0 if the operator's schema does not state it
  bool known = false;    ///< all extents are static
  Shape shape;
};

/// Returns the types and shapes of a node's outputs. The node is as declared (check_declared) and has the graph's form
/// (see adapt.h). `version` is that of its operator set in the model, for errors. The schema of the onnx library
/// determines the outputs. Some operators and attributes are newer than the library, or belong to ai.onnx.ml. Their
/// outputs are `known` only if they are like the first input. Otherwise a run on zeros determines them. Throws
/// InputError for an operator or attribute that is not known, and for inputs that do not fit.
std::vector<InferredOutput> infer(const ::onnx::NodeProto& node, std::int64_t version,
                                  const std::vector<KnownInput>& inputs);

/// True for operators whose output shapes follow from the shapes of private inputs and from constants. A run on zeros
/// then determines the shapes that `infer` does not know.
bool runs_on_zeros(const ::onnx::NodeProto& node, std::int64_t version);

}  // namespace tacit::graph::onnx
