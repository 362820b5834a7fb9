#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// What the leading axes of the private inputs were.
struct BatchBinding {
  bool open = false;         ///< one is symbolic, or was fixed and is taken apart
  bool taken_apart = false;  ///< the model fixes a batch of several, and its rows are wanted one at a time
  std::map<std::string, Shape> of_rows{};  ///< the shapes of inputs that rows fixed, by name

  explicit operator bool() const { return open; }
};

/// Writes the static shapes of the private inputs into the model: the leading (batch) axis becomes `batch` where it is
/// symbolic, and a bound input takes the shape of its tensor. `shapes` fix further symbolic axes of inputs by name. A
/// leading extent other than 1 among them fixes the batch; a 1 takes a batch apart that the model fixes. `rows` fix
/// what is open after that: the shapes of one row of each input that is not bound, in order. Refuses, by name, other
/// dynamic axes, inputs that are no dense numeric tensors, shapes and bindings that fit no input.
BatchBinding bind_inputs(::onnx::ModelProto& model, const std::map<std::string, Tensor>& bindings, std::int64_t batch,
                         const std::map<std::string, Shape>& shapes = {}, const std::vector<Shape>& rows = {});

/// Bindings of one number, [], fill the shape that the model states for their input, and take its kind of number.
std::map<std::string, Tensor> filled(const ::onnx::ModelProto& model, std::map<std::string, Tensor> bindings);

}  // namespace tacit::graph::onnx
