#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <string>

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// The dense tensor of a TensorProto, its values as doubles, integers as `held` (integers.h) holds them. `what` names
/// it in errors. NaN (unless `nan` permits it), complex numbers, data in other files, and data that does not
/// fill the shape are refused.
Tensor to_tensor(const ::onnx::TensorProto& proto, const std::string& what, bool nan = false);

/// The other way, for shape inference, which reads shapes, axes and scales only. False for element types that it does
/// not read.
bool to_proto(const Tensor& tensor, int element_type, ::onnx::TensorProto& proto);

/// The types whose values this importer reads.
bool is_real(int element_type);
bool is_integral(int element_type);
/// Bytes of an element in raw data; 0 for types that are not read, and for those of 4 bits, which share bytes.
std::size_t bytes_of_element(int element_type);
/// "FLOAT16".
std::string type_name(int element_type);

}  // namespace tacit::graph::onnx
