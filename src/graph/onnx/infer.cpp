#include "graph/onnx/infer.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <map>
#include <string>

#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/onnx/opsets.h"
#include "graph/onnx/refuse_node.h"
#include "graph/onnx/tensor_proto.h"
#include "graph/reference/broadcast.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::getAttribute;
using ::onnx::TensorProto;
using ::onnx::TypeProto;

/// Inference reads shapes, axes and scales, never weights.
constexpr std::size_t kMostValuesRead = 4096;

class Context : public ::onnx::shape_inference::InferenceContextImpl {
 public:
  Context(::onnx::NodeProto& node, const std::vector<KnownInput>& inputs)
      : InferenceContextImpl(node, {}, {}, {}), types_(inputs.size()), values_(inputs.size()) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const KnownInput& input = inputs[i];
      if (!input.present) continue;
      allInputTypes_.at(i) = &types_[i];
      auto* tensor = types_[i].mutable_tensor_type();
      tensor->set_elem_type(input.element_type);
      auto* shape = tensor->mutable_shape();
      for (const std::int64_t extent : input.shape) shape->add_dim()->set_dim_value(extent);
      if (input.constant == nullptr || input.constant->data.size() > kMostValuesRead) continue;
      if (to_proto(*input.constant, input.element_type, values_[i])) allInputData_.at(i) = &values_[i];
    }
  }

 private:
  std::vector<TypeProto> types_;
  std::vector<TensorProto> values_;
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

/// As in Node::op.
std::string operator_of(const ::onnx::NodeProto& node) {
  return node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type();
}

/// The library's, of the operator's form; null where the operator came later.
const ::onnx::OpSchema* schema_of(const ::onnx::NodeProto& node, std::int64_t version) {
  const std::int64_t form = node.domain().empty() ? kFormOpset : std::min(version, kFormMachineLearningOpset);
  return ::onnx::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(form), node.domain());
}

/// An operator of ai.onnx.ml that is known here and came after the library's opset of that domain.
bool is_newer_machine_learning(const ::onnx::NodeProto& node, std::int64_t version) {
  const Operator* op = find_operator(operator_of(node));
  return node.domain() == kMachineLearningDomain && op != nullptr && op->since > kFormMachineLearningOpset &&
         version >= op->since;
}

/// Inputs for which a schema has one type have one element type, as every runtime asks for.
void check_types(const ::onnx::NodeProto& node, const ::onnx::OpSchema& schema, const std::vector<KnownInput>& inputs) {
  const auto& parameters = schema.inputs();
  std::map<std::string, int> types;
  for (std::size_t i = 0; i < inputs.size() && !parameters.empty(); ++i) {
    const auto& parameter = parameters[std::min(i, parameters.size() - 1)];
    if (!inputs[i].present || inputs[i].element_type == 0 || !parameter.GetIsHomogeneous()) continue;
    const auto [found, added] = types.emplace(parameter.GetTypeStr(), inputs[i].element_type);
    if (!added && found->second != inputs[i].element_type)
      refuse_node(node, fmt::format("its inputs have the element types {} and {} where it takes one; cast them to it",
                                    type_name(found->second), type_name(inputs[i].element_type)));
  }
}

/// The library takes any two matrices.
void refuse_unchained(const ::onnx::NodeProto& node, Context& context, const std::vector<KnownInput>& inputs) {
  if (!node.domain().empty() || node.op_type() != "Gemm" || inputs.size() < 2 || !inputs[0].present ||
      !inputs[1].present)
    return;
  const Shape &left = inputs[0].shape, &right = inputs[1].shape;
  if (left.size() != 2 || right.size() != 2)
    refuse_node(node, fmt::format("it takes two matrices, not {} and {}", to_text(left), to_text(right)));
  const std::int64_t columns = left[getAttribute(context, "transA", 0) != 0 ? 0 : 1];
  const std::int64_t rows = right[getAttribute(context, "transB", 0) != 0 ? 1 : 0];
  if (columns != rows)
    refuse_node(node, fmt::format("its matrices of shape {} and {} do not chain: {} columns meet {} rows",
                                  to_text(left), to_text(right), columns, rows));
}

/// The library indexes the extents of a window's input by those of its weights, and the other way round, without asking
/// whether there are as many.
void refuse_other_ranks(const ::onnx::NodeProto& node, const std::vector<KnownInput>& inputs) {
  constexpr std::size_t kLeastRank = 3;
  const Operator* op = find_operator(operator_of(node));
  const auto weights = op == nullptr ? std::nullopt : op->place("w");
  if (!weights) return;
  const std::size_t rank = inputs[0].shape.size(), of_weights = inputs[*weights].shape.size();
  if (rank < kLeastRank || rank != of_weights)
    refuse_node(node, fmt::format("its input has rank {} and its weights have rank {}; both take batch, channels and "
                                  "the same number of further dimensions",
                                  rank, of_weights));
}

/// The library looks at no bias: that of a product is broadcast to it, others have a number for every channel.
void refuse_biases(const ::onnx::NodeProto& node, Context& context, const std::vector<KnownInput>& inputs) {
  const Operator* op = find_operator(operator_of(node));
  if (op->name == "Gemm" && inputs.size() > 2 && inputs[2].present) {
    const Shape result{inputs[0].shape[getAttribute(context, "transA", 0) != 0 ? 1 : 0],
                       inputs[1].shape[getAttribute(context, "transB", 0) != 0 ? 0 : 1]};
    if (reference::broadcast_shape(inputs[2].shape, result) != result)
      refuse_node(node, fmt::format("a bias of shape {} does not broadcast to the product's {}",
                                    to_text(inputs[2].shape), to_text(result)));
  }
  const auto weights = op->place("w"), bias = op->place("bias");
  if (!weights || !bias || *bias >= inputs.size() || !inputs[*bias].present) return;
  const Shape& of_weights = inputs[*weights].shape;
  const std::int64_t channels =
      op->name == "ConvTranspose" ? of_weights[1] * getAttribute(context, "group", 1) : of_weights[0];
  if (element_count(inputs[*bias].shape) != channels)
    refuse_node(node, fmt::format("a bias of shape {} does not fit {} output channels", to_text(inputs[*bias].shape),
                                  channels));
}

}  // namespace

bool runs_on_zeros(const ::onnx::NodeProto& node, std::int64_t version) {
  const ::onnx::OpSchema* schema = schema_of(node, version);
  const auto is_new = [&](const AttributeProto& attribute) { return !schema->attributes().contains(attribute.name()); };
  return node.domain() == kMachineLearningDomain || has_trait(operator_of(node), kByRunning) ||
         (schema != nullptr && std::any_of(node.attribute().begin(), node.attribute().end(), is_new));
}

std::vector<InferredOutput> infer(const ::onnx::NodeProto& node, std::int64_t version,
                                  const std::vector<KnownInput>& inputs) {
  const ::onnx::OpSchema* schema = schema_of(node, version);
  // Those that came after the library's opset keep the shape of their first input.
  if (const Operator* op = find_operator(operator_of(node)); op != nullptr && op->since > kFormOpset)
    return {{inputs[0].element_type, true, inputs[0].shape}};
  if (schema == nullptr && is_newer_machine_learning(node, version))
    return std::vector<InferredOutput>(static_cast<std::size_t>(node.output_size()));  // by running
  if (schema == nullptr) refuse_node(node, fmt::format("this operator does not exist in opset {}", version));
  ::onnx::NodeProto verified = node;
  verified.clear_attribute();
  for (const AttributeProto& attribute : node.attribute())
    if (schema->attributes().contains(attribute.name())) *verified.add_attribute() = attribute;
  const bool by_running = runs_on_zeros(node, version);
  check_types(node, *schema, inputs);
  refuse_other_ranks(node, inputs);
  Context context(verified, inputs);
  refuse_unchained(node, context, inputs);
  refuse_biases(node, context, inputs);
  try {
    schema->Verify(verified);
    if (!by_running) schema->GetTypeAndShapeInferenceFunction()(context);
  } catch (const std::exception& error) {
    std::string reason = error.what();
    for (char& c : reason) c = c == '\n' ? ' ' : c;
    refuse_node(node, "its inputs do not fit: " + reason);
  }
  std::vector<InferredOutput> outputs;
  for (int i = 0; i < node.output_size(); ++i)
    outputs.push_back(read_output(*context.getOutputType(static_cast<std::size_t>(i))));
  // The library knows float32 alone here; since opset 19 the result has the type of the scale.
  if (node.op_type() == "DequantizeLinear" && inputs.size() > 1 && is_real(inputs[1].element_type))
    for (InferredOutput& output : outputs) output.element_type = inputs[1].element_type;
  return outputs;
}

}  // namespace tacit::graph::onnx
