#pragma once

#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <stdexcept>
#include <string>

namespace tacit::graph::onnx {

/// Returns a model for tests from the onnx project's text notation, "name (inputs) => (outputs) <weights> { nodes }".
inline ::onnx::ModelProto text_model(const std::string& graph, int opset = 17) {
  const std::string text =
      "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + ", \"ai.onnx.ml\" : 3]> " + graph;
  ::onnx::ModelProto model;
  ::onnx::OnnxParser parser(text.c_str());
  const auto status = parser.Parse(model);
  if (!status.IsOK()) throw std::invalid_argument(status.ErrorMessage());
  return model;
}

inline std::string text_model_bytes(const std::string& graph, int opset = 17) {
  return text_model(graph, opset).SerializeAsString();
}

}  // namespace tacit::graph::onnx
