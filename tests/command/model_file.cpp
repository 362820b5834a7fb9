#include "tests/command/model_file.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace tacit::test {
namespace {

void add_constant(onnx::GraphProto& graph, const std::string& name, const std::vector<std::int64_t>& shape,
                  const std::vector<float>& values) {
  onnx::TensorProto* const tensor = graph.add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : shape) tensor->add_dims(extent);
  for (const float value : values) tensor->add_float_data(value);
}

void set_type(onnx::ValueInfoProto& value, const std::string& name, const std::vector<std::int64_t>& shape) {
  value.set_name(name);
  auto* const type = value.mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : shape) {
    auto* const dimension = type->mutable_shape()->add_dim();
    if (extent < 0)
      dimension->set_dim_param("batch_or_more");
    else
      dimension->set_dim_value(extent);
  }
}

}  // namespace

std::string model_bytes(const ModelText& text) {
  onnx::ModelProto model;
  model.set_ir_version(7);
  onnx::OperatorSetIdProto* const opset = model.add_opset_import();
  opset->set_domain("");
  opset->set_version(text.opset);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("small");
  set_type(*graph.add_input(), "x0" + text.mark, text.input_shape);
  std::vector<float> mixing(16, 0.25f);
  for (std::size_t i = 0; i < 4; ++i) mixing[5 * i] = 1;
  add_constant(graph, "mixing", {4, 4}, mixing);
  add_constant(graph, "offset", {4}, std::vector<float>(4, 0.1f));
  add_constant(graph, "ones", {4, 1}, std::vector<float>(4, 1.0f));
  std::vector<std::int64_t> shape = text.input_shape;
  for (std::size_t i = 0; i < text.operators.size(); ++i) {
    const std::string& op = text.operators[i];
    const std::string in = fmt::format("x{}{}", i, text.mark);
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(op);
    node.set_name(fmt::format("n{}{}", i, text.mark));
    node.add_input(in);
    if (op == "Gemm") {
      node.add_input("mixing");
      node.add_input("offset");
    } else if (op == "Gemm1") {
      node.set_op_type("Gemm");
      node.add_input("ones");
      shape.back() = 1;
    } else if (op == "Mul") {
      node.add_input(in);
    }
    node.add_output(fmt::format("x{}{}", i + 1, text.mark));
  }
  set_type(*graph.add_output(), fmt::format("x{}{}", text.operators.size(), text.mark), shape);
  return model.SerializeAsString();
}

}  // namespace tacit::test
