#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>

namespace tacit::graph::onnx {

/// Reads weights from files in the model's folder, as PyTorch's exporter writes them, into the model. A model is
/// untrusted. Only regular files in the model's own folder are read, named without a path. Reads are within the size of
/// the file, and no longer than the tensor's shape. Throws InputError naming the tensor.
void read_external_data(::onnx::ModelProto& model, const std::filesystem::path& folder);

}  // namespace tacit::graph::onnx
