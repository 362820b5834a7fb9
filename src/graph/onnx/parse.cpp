#include "graph/onnx/parse.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <fstream>
#include <limits>

#include "base/error.h"

namespace tacit::graph::onnx {
namespace {

constexpr std::size_t kMostBytes = std::numeric_limits<int>::max();
// A model nests six messages deep, and three more for every network inside a node.
constexpr int kDeepestNesting = 48;

template <typename Message>
bool parsed(std::string_view bytes, Message& message) {
  if (bytes.size() > kMostBytes) base::refuse("its {} bytes exceed the bound of {}", bytes.size(), kMostBytes);
  const google::protobuf::LogSilencer silencer;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kDeepestNesting);
  return message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw base::InputError("there is no such file");
  if (!std::filesystem::is_regular_file(status)) throw base::InputError("it is not a file");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) base::refuse("it cannot be read: {}", error.message());
  if (size == 0) throw base::InputError("the file is empty");
  if (size > kMostBytes) base::refuse("its {} bytes exceed the bound of {}", size, kMostBytes);
  std::string bytes(size, '\0');
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size))) throw base::InputError("it cannot be read");
  return bytes;
}

void parse(std::string_view bytes, ::onnx::ModelProto& model) {
  if (bytes.empty()) throw base::InputError("the file is empty");
  if (!parsed(bytes, model)) throw base::InputError("it is not an ONNX model, or it is truncated or damaged");
  if (!model.has_ir_version() || !model.has_graph())
    throw base::InputError("it is not an ONNX model: it holds no network");
}

void parse(std::string_view bytes, ::onnx::TensorProto& tensor) {
  if (!parsed(bytes, tensor) || !tensor.has_data_type())
    throw base::InputError("it is not an ONNX tensor, or it is truncated or damaged");
}

}  // namespace tacit::graph::onnx
