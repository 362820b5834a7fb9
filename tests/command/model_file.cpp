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

std::string wide_model_bytes(std::int64_t width) {
  onnx::ModelProto model;
  model.set_ir_version(7);
  onnx::OperatorSetIdProto* const opset = model.add_opset_import();
  opset->set_domain("");
  opset->set_version(13);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("wide");
  const std::vector<std::string> tensors{"x", "h", "s", "y"};
  set_type(*graph.add_input(), tensors.front(), {1, width});
  const auto add_gemm = [&](const std::string& in, const std::string& out, std::int64_t rows, std::int64_t columns) {
    std::vector<float> weights;
    for (std::int64_t i = 0; i < rows * columns; ++i)
      weights.push_back(static_cast<float>((i * 7919) % 13 - 6) / static_cast<float>(2 * rows));
    add_constant(graph, "weights of " + out, {rows, columns}, weights);
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type("Gemm");
    node.set_name("make " + out);
    node.add_input(in);
    node.add_input("weights of " + out);
    node.add_output(out);
  };
  add_gemm("x", "h", width, width / 2);
  onnx::NodeProto& square = *graph.add_node();
  square.set_op_type("Mul");
  square.set_name("square");
  for (int i = 0; i < 2; ++i) square.add_input(tensors[1]);
  square.add_output(tensors[2]);
  add_gemm("s", "y", width / 2, 4);
  set_type(*graph.add_output(), tensors.back(), {1, 4});
  return model.SerializeAsString();
}

std::string tree_model_bytes() {
  onnx::ModelProto model;
  model.set_ir_version(7);
  for (const std::int64_t version : {13, 3}) {
    onnx::OperatorSetIdProto* const opset = model.add_opset_import();
    *opset->mutable_domain() = std::string(version == 3 ? "ai.onnx.ml" : "");
    opset->set_version(version);
  }
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("trees");
  const std::string x("x"), y("y");
  set_type(*graph.add_input(), x, {1, 4});
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("TreeEnsembleRegressor");
  node.set_domain("ai.onnx.ml");
  node.set_name("trees");
  node.add_input(x);
  node.add_output(y);
  const auto attribute = [&](const char* name, onnx::AttributeProto::AttributeType type) {
    onnx::AttributeProto* const made = node.add_attribute();
    made->set_name(name);
    made->set_type(type);
    return made;
  };
  const auto whole = [&](const char* name, std::initializer_list<std::int64_t> numbers) {
    auto* const made = attribute(name, onnx::AttributeProto::INTS);
    for (const std::int64_t number : numbers) made->add_ints(number);
  };
  const auto reals = [&](const char* name, std::initializer_list<float> numbers) {
    auto* const made = attribute(name, onnx::AttributeProto::FLOATS);
    for (const float number : numbers) made->add_floats(number);
  };
  whole("nodes_treeids", {0, 0, 0, 0, 0, 1, 1, 1});
  whole("nodes_nodeids", {0, 1, 2, 3, 4, 0, 1, 2});
  whole("nodes_featureids", {0, 2, 0, 0, 0, 1, 0, 0});
  reals("nodes_values", {0.25f, -0.5f, 0, 0, 0, 0.1f, 0, 0});
  whole("nodes_truenodeids", {1, 2, 0, 0, 0, 1, 0, 0});
  whole("nodes_falsenodeids", {4, 3, 0, 0, 0, 2, 0, 0});
  auto* const modes = attribute("nodes_modes", onnx::AttributeProto::STRINGS);
  for (const char* mode : {"BRANCH_LEQ", "BRANCH_LT", "LEAF", "LEAF", "LEAF", "BRANCH_GT", "LEAF", "LEAF"})
    modes->add_strings(mode);
  whole("target_treeids", {0, 0, 0, 1, 1});
  whole("target_nodeids", {2, 3, 4, 1, 2});
  whole("target_ids", {0, 0, 0, 0, 0});
  reals("target_weights", {1, 2, -3.5f, 0.5f, 0.25f});
  attribute("n_targets", onnx::AttributeProto::INT)->set_i(1);
  set_type(*graph.add_output(), y, {1, 1});
  return model.SerializeAsString();
}

}  // namespace tacit::test
