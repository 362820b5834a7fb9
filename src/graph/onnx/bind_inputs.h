#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// The leading axes of the private inputs in the model.
struct BatchBinding {
  bool open = false;                       ///< one is symbolic, or was fixed and is taken apart
  bool taken_apart = false;                ///< the model fixes a batch of several rows, which are run one at a time
  std::map<std::string, Shape> of_rows{};  ///< by name, the shapes of inputs that `rows` fixed

  explicit operator bool() const { return open; }
};

/// Writes the static shapes of the private inputs into the model:
/// - A symbolic leading (batch) axis becomes `batch`, and a bound input takes the shape of its tensor.
/// - `shapes` fix further symbolic axes of inputs by name. A leading extent other than 1 among them fixes the batch. A
///   leading extent of 1 takes a batch apart that the model fixes.
/// - `rows` fix the axes that are still open: they are the shapes of one row of each input that is not bound, in order.
///
/// Refuses, by name, other dynamic axes, inputs that are not dense numeric tensors, and shapes and bindings that fit no
/// input.
BatchBinding bind_inputs(::onnx::ModelProto& model, const std::map<std::string, Tensor>& bindings, std::int64_t batch,
                         const std::map<std::string, Shape>& shapes = {}, const std::vector<Shape>& rows = {});

/// Expands bindings of one number, []. They fill the shape that the model states for their input, and take its kind of
/// number.
std::map<std::string, Tensor> filled(const ::onnx::ModelProto& model, std::map<std::string, Tensor> bindings);

}  // namespace tacit::graph::onnx
