#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>

namespace tacit::graph::onnx {

/// Reads weights that lie in files beside the model, as PyTorch's exporter writes them, into the model. A model is
/// untrusted: only regular files in the model's own folder are read, named without a path, within their size, and no
/// more bytes than the tensor's shape takes. Throws InputError naming the tensor.
void read_external_data(::onnx::ModelProto& model, const std::filesystem::path& folder);

}  // namespace tacit::graph::onnx
