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
/// the position of its text in `texts`. So operators that move or compare elements work on numbers and texts.
struct Tensor {
  Shape shape;
  std::vector<double> data;          ///< row-major
  bool integral = false;             ///< came from an integer or bool type (shapes, indices, axes)
  std::vector<std::string> texts{};  ///< the different texts of the elements; empty for numbers
  std::int64_t size() const { return static_cast<std::int64_t>(data.size()); }
};

/// Returns the elements of tensors.
std::vector<std::vector<double>> numbers_of(std::span<const Tensor> tensors);

/// Returns a tensor of strings.
Tensor text_tensor(Shape shape, const std::vector<std::string>& elements);

/// The format to which the reference run rounds the real elements of a tensor.
enum class FloatFormat : std::uint8_t { float64, float32, float16, bfloat16 };

/// The type in which the integers of a tensor wrap around.
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

/// The id of an optional input that is absent.
inline constexpr TensorId kNoTensor = 0xFFFFFFFFu;
/// One operator. Names and attributes are those of ONNX, in the one form to which the importer brings every opset.
struct Node {
  std::string op;    ///< "Conv"; operators of ai.onnx.ml as "ai.onnx.ml.Scaler"
  std::string name;  ///< never empty: the ONNX name, or the name of the first output
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::map<std::string, Attribute> attributes;
};

/// A tensor of the graph: its name, its static shape (batch bound to 1), and its value if it is a constant.
struct TensorInfo {
  std::string name;
  Shape shape;
  bool integral = false;
  std::int64_t constant = -1;  ///< index into Graph::constants, or -1
  FloatFormat rounding = FloatFormat::float64;
  bool text = false;                          ///< elements are strings
  IntegerType integers = IntegerType::int64;  ///< type of the elements of an integral tensor
};

/// A network in topological order with folded constants. The importer makes it for the passes and the reference run.
/// Inputs keep the leading batch dimension of the model, bound to 1.
struct Graph {
  std::string name;
  std::vector<TensorInfo> tensors;
  std::vector<Tensor> constants;
  std::vector<Node> nodes;
  std::vector<TensorId> inputs;  ///< private inputs
  std::vector<TensorId> outputs;
  std::vector<std::string> notes{};  ///< notes of the importer for people, one sentence each

  bool is_constant(TensorId id) const { return tensors.at(id).constant >= 0; }
  const Tensor& constant(TensorId id) const { return constants.at(static_cast<std::size_t>(tensors.at(id).constant)); }
};

}  // namespace tacit::graph
