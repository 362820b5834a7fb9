#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <string>

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// Returns the dense tensor of a TensorProto. Its values are doubles, and integers are as `held` (integers.h) holds
/// them. `what` names the tensor in errors. Refuses NaN (unless `nan` permits it), complex numbers, data in other
/// files, and data that does not fill the shape.
Tensor to_tensor(const ::onnx::TensorProto& proto, const std::string& what, bool nan = false);

/// Converts a tensor to a TensorProto for shape inference, which reads only shapes, axes and scales. Returns false for
/// element types that inference does not read.
bool to_proto(const Tensor& tensor, int element_type, ::onnx::TensorProto& proto);

/// True for the element types whose values this importer reads, reals and integers.
bool is_real(int element_type);
bool is_integral(int element_type);
/// Returns the bytes of an element in raw data. 0 for types that are not read, and for types of 4 bits, which share
/// bytes.
std::size_t bytes_of_element(int element_type);
/// Returns a name like "FLOAT16".
std::string type_name(int element_type);

}  // namespace tacit::graph::onnx
