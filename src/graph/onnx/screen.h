#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>

namespace tacit::graph::onnx {

/// Newest opset of the default domain and of ai.onnx.ml that the onnx library reads; models are converted to the first.
inline constexpr std::int64_t kOpset = 17;
inline constexpr std::int64_t kMachineLearningOpset = 3;

/// Refuses, by name, what no later step handles, before the onnx library works on it: data in other files, sparse
/// tensors, control flow, functions, foreign domains, opsets that are too new, tensors that are read but not defined,
/// and attributes outside the ranges that the library divides by. Throws InputError.
void screen(const ::onnx::ModelProto& model);

/// The node's name, or that of its first output, or its operator.
std::string node_label(const ::onnx::NodeProto& node);

}  // namespace tacit::graph::onnx
