#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tacit::graph {

using Shape = std::vector<std::int64_t>;
using TensorId = std::uint32_t;

/// A dense tensor. Integer ONNX types are held as exact doubles (see integers.h). An element of a tensor of strings is
/// the position of its text in `texts`, so that whatever moves or compares elements works on both.
struct Tensor {
  Shape shape;
  std::vector<double> data;          ///< row-major
  bool integral = false;             ///< came from an integer or bool type (shapes, indices, axes)
  std::vector<std::string> texts{};  ///< the different texts that elements may be; empty for numbers
  std::int64_t size() const { return static_cast<std::int64_t>(data.size()); }
};

/// The elements of tensors.
std::vector<std::vector<double>> numbers_of(std::span<const Tensor> tensors);

/// A tensor of strings.
Tensor text_tensor(Shape shape, const std::vector<std::string>& elements);

/// The format that real elements of a tensor are rounded to by the reference run.
enum class Rounding : std::uint8_t { float64, float32, float16, bfloat16 };

/// The type that the integers of a tensor wrap around in.
enum class IntegerType : std::uint8_t {
  int64,
  boolean,
  int4,
  int8,
  int16,
  int32,
  uint4,
  uint8,
  uint16,
  uint32,
  uint64
};

using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                               std::vector<std::string>, Tensor>;

/// One operator: ONNX names and attributes in the one form that the importer brings every opset to. Optional inputs
/// that are absent hold kNoTensor.
inline constexpr TensorId kNoTensor = 0xFFFFFFFFu;
struct Node {
  std::string op;    ///< "Conv"; operators of ai.onnx.ml as "ai.onnx.ml.Scaler"
  std::string name;  ///< never empty: the ONNX name, or the name of the first output
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::map<std::string, Attribute> attributes;
};

/// A tensor of the graph: its name, its static shape (batch bound to 1), and its value where it is a constant.
struct TensorInfo {
  std::string name;
  Shape shape;
  bool integral = false;
  std::int64_t constant = -1;  ///< index into Graph::constants, or -1
  Rounding rounding = Rounding::float64;
  bool text = false;                          ///< elements are strings
  IntegerType integers = IntegerType::int64;  ///< of an integral tensor
};

/// A network in topological order with constants folded: what the importer hands to the passes and the reference run.
/// Inputs keep the leading batch dimension of the model, bound to 1.
struct Graph {
  std::string name;
  std::vector<TensorInfo> tensors;
  std::vector<Tensor> constants;
  std::vector<Node> nodes;
  std::vector<TensorId> inputs;  ///< private inputs
  std::vector<TensorId> outputs;
  std::vector<std::string> notes{};  ///< what the importer did that people should know, a sentence each

  bool is_constant(TensorId id) const { return tensors.at(id).constant >= 0; }
  const Tensor& constant(TensorId id) const { return constants.at(static_cast<std::size_t>(tensors.at(id).constant)); }
};

}  // namespace tacit::graph
