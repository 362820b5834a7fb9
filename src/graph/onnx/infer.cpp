#include "graph/onnx/infer.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>

#include <memory>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "graph/onnx/screen.h"
#include "graph/onnx/tensor_proto.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::TensorProto;
using ::onnx::TypeProto;

/// Inference reads shapes, axes and scales, never weights.
constexpr std::size_t kMostValuesRead = 4096;

class Context : public ::onnx::InferenceContext {
 public:
  Context(const ::onnx::NodeProto& node, const std::vector<KnownInput>& inputs)
      : types_(inputs.size()), values_(inputs.size()), outputs_(static_cast<std::size_t>(node.output_size())) {
    for (const AttributeProto& attribute : node.attribute()) attributes_[attribute.name()] = &attribute;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const KnownInput& input = inputs[i];
      if (!input.present) continue;
      types_[i] = std::make_unique<TypeProto>();
      auto* tensor = types_[i]->mutable_tensor_type();
      tensor->set_elem_type(input.element_type);
      auto* shape = tensor->mutable_shape();
      for (const std::int64_t extent : input.shape) shape->add_dim()->set_dim_value(extent);
      if (input.constant == nullptr || input.constant->data.size() > kMostValuesRead) continue;
      auto value = std::make_unique<TensorProto>();
      if (to_proto(*input.constant, input.element_type, *value)) values_[i] = std::move(value);
    }
  }

  const AttributeProto* getAttribute(const std::string& name) const override {
    const auto found = attributes_.find(name);
    return found == attributes_.end() ? nullptr : found->second;
  }
  std::size_t getNumInputs() const override { return types_.size(); }
  const TypeProto* getInputType(std::size_t index) const override { return types_.at(index).get(); }
  const TensorProto* getInputData(std::size_t index) const override { return values_.at(index).get(); }
  std::size_t getNumOutputs() const override { return outputs_.size(); }
  TypeProto* getOutputType(std::size_t index) override { return &outputs_.at(index); }
  ::onnx::GraphInferencer* getGraphAttributeInferencer(const std::string&) override { return nullptr; }
  const ::onnx::SparseTensorProto* getInputSparseData(std::size_t) const override { return nullptr; }
  const ::onnx::TensorShapeProto* getSymbolicInput(std::size_t) const override { return nullptr; }

 private:
  std::unordered_map<std::string, const AttributeProto*> attributes_;
  std::vector<std::unique_ptr<TypeProto>> types_;
  std::vector<std::unique_ptr<TensorProto>> values_;
  std::vector<TypeProto> outputs_;
};

InferredOutput read_output(const TypeProto& type) {
  InferredOutput output;
  if (!type.has_tensor_type()) return output;
  output.element_type = type.tensor_type().elem_type();
  if (!type.tensor_type().has_shape()) return output;
  output.known = true;
  for (const auto& dim : type.tensor_type().shape().dim()) {
    output.known = output.known && dim.has_dim_value() && dim.dim_value() >= 0;
    output.shape.push_back(dim.dim_value());
  }
  return output;
}

}  // namespace

std::vector<InferredOutput> infer(const ::onnx::NodeProto& node, const std::vector<KnownInput>& inputs) {
  const int version = static_cast<int>(node.domain().empty() ? kOpset : kMachineLearningOpset);
  const ::onnx::OpSchema* schema = ::onnx::OpSchemaRegistry::Schema(node.op_type(), version, node.domain());
  if (schema == nullptr)
    throw base::InputError(
        fmt::format("node '{}': operator {} does not exist in opset {}", node_label(node), node.op_type(), version));
  Context context(node, inputs);
  try {
    schema->Verify(node);
    schema->GetTypeAndShapeInferenceFunction()(context);
  } catch (const std::exception& error) {
    std::string reason = error.what();
    for (char& c : reason) c = c == '\n' ? ' ' : c;
    throw base::InputError(
        fmt::format("node '{}' ({}): its inputs do not fit: {}", node_label(node), node.op_type(), reason));
  }
  std::vector<InferredOutput> outputs;
  for (int i = 0; i < node.output_size(); ++i)
    outputs.push_back(read_output(*context.getOutputType(static_cast<std::size_t>(i))));
  return outputs;
}

}  // namespace tacit::graph::onnx
