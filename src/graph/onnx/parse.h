#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace onnx {
class ModelProto;
class TensorProto;
}  // namespace onnx

namespace tacit::graph::onnx {

/// Reads a whole file. Throws InputError if it is missing, not a regular file, empty, or larger than protobuf's bound
/// of 2^31 - 1 bytes.
std::string read_file(const std::filesystem::path& path);

/// Parses untrusted bytes, with bounds on size and nesting. Throws InputError if they are not a model.
void parse(std::string_view bytes, ::onnx::ModelProto& model);
void parse(std::string_view bytes, ::onnx::TensorProto& tensor);

}  // namespace tacit::graph::onnx
