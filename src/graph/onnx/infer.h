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

/// Types and shapes of a node's outputs. The node is as declared (check_declared) and has the graph's form (see
/// adapt.h); `version` is that of its operator set in the model, for errors. The onnx library's schema tells them; for
/// operators and attributes that are newer than the library, and for those of ai.onnx.ml, an output is not `known`
/// unless it is as the first input: a run on zeros tells. Throws InputError for an operator or attribute that is not
/// known, and for inputs that do not fit.
std::vector<InferredOutput> infer(const ::onnx::NodeProto& node, std::int64_t version,
                                  const std::vector<KnownInput>& inputs);

/// True for operators whose output shapes follow from the shapes of private inputs and from constants, so that a run on
/// zeros tells what `infer` does not know.
bool runs_on_zeros(const ::onnx::NodeProto& node, std::int64_t version);

}  // namespace tacit::graph::onnx
