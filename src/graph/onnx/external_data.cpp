#include "graph/onnx/external_data.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <string>

#include "base/error.h"
#include "base/parse_number.h"
#include "graph/attribute.h"
#include "graph/onnx/tensor_proto.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::TensorProto;

[[noreturn]] void refuse(const TensorProto& tensor, const std::string& why) {
  base::refuse("the weight tensor '{}' keeps its data in another file: {}", tensor.name(), why);
}

std::uint64_t number(const TensorProto& tensor, const std::map<std::string, std::string>& entries, const char* name,
                     std::uint64_t absent) {
  const auto found = entries.find(name);
  if (found == entries.end()) return absent;
  const auto value = base::parse_number<std::uint64_t>(found->second);
  if (!value) refuse(tensor, fmt::format("its {} '{}' is no number", name, found->second));
  return *value;
}

void read(TensorProto& tensor, const std::filesystem::path& folder) {
  std::map<std::string, std::string> entries;
  for (const auto& entry : tensor.external_data()) entries[entry.key()] = entry.value();
  const std::filesystem::path name = entries["location"];
  if (name.empty() || name != name.filename() || name == "." || name == "..")
    refuse(tensor, fmt::format("'{}' is not the name of a file beside the model", name.string()));
  const std::filesystem::path path = folder / name;
  std::error_code error;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(path, error)))
    refuse(tensor, fmt::format("there is no file '{}' beside the model", name.string()));
  const Shape shape(tensor.dims().begin(), tensor.dims().end());
  const std::uint64_t expected =
      static_cast<std::uint64_t>(element_count(shape)) * bytes_of_element(tensor.data_type());
  const std::uint64_t size = std::filesystem::file_size(path, error), offset = number(tensor, entries, "offset", 0);
  const std::uint64_t length = number(tensor, entries, "length", expected);
  if (expected == 0 || length != expected || error || offset > size || length > size - offset)
    refuse(tensor, fmt::format("'{}' does not hold the {} bytes of its shape {} from byte {} on", name.string(),
                               expected, to_text(shape), offset));
  std::string bytes(length, '\0');
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  if (!file.read(bytes.data(), static_cast<std::streamsize>(length)))
    refuse(tensor, fmt::format("'{}' cannot be read", name.string()));
  tensor.set_raw_data(std::move(bytes));
  tensor.clear_external_data();
  tensor.set_data_location(TensorProto::DEFAULT);
}

}  // namespace

void read_external_data(::onnx::ModelProto& model, const std::filesystem::path& folder) {
  for (TensorProto& tensor : *model.mutable_graph()->mutable_initializer())
    if (tensor.data_location() == TensorProto::EXTERNAL) read(tensor, folder);
}

}  // namespace tacit::graph::onnx
