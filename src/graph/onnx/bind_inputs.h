#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// Writes the static shapes of the private inputs into the model: the leading (batch) axis becomes `batch` where it is
/// symbolic, and a bound input takes the shape of its tensor. True if there is a symbolic one. Refuses, by name, other
/// dynamic axes, inputs that are no dense numeric tensors, and bindings that fit no input.
bool bind_inputs(::onnx::ModelProto& model, const std::map<std::string, Tensor>& bindings, std::int64_t batch);

}  // namespace tacit::graph::onnx
