#include "graph/onnx/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/integers.h"
#include "graph/onnx/opsets.h"
#include "graph/onnx/refuse_node.h"
#include "graph/onnx/tensor_proto.h"
#include "graph/reference/integer_checks.h"
#include "graph/reference/rounding.h"
#include "graph/reference/run.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

Attribute read_attribute(const NodeProto& node, const AttributeProto& attribute) {
  switch (attribute.type()) {
    case AttributeProto::INT: return attribute.i();
    case AttributeProto::FLOAT: return static_cast<double>(attribute.f());
    case AttributeProto::STRING: return attribute.s();
    case AttributeProto::INTS: return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
    case AttributeProto::FLOATS: return std::vector<double>(attribute.floats().begin(), attribute.floats().end());
    case AttributeProto::STRINGS:
      return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
    case AttributeProto::TENSOR:
      return to_tensor(attribute.t(), fmt::format("attribute '{}' of node '{}'", attribute.name(), node_label(node)),
                       attribute.name() == "membership_values");  // NaN stands between its sets
    default: refuse_node(node, fmt::format("attribute '{}' has an unsupported type", attribute.name()));
  }
}

/// The value of a Constant node, in whichever attribute it is.
struct Constant {
  Tensor value;
  int element_type;
};

Constant read_constant(const Node& node, const NodeProto& proto) {
  for (const auto& entry : node.attributes) {
    const std::string& name = entry.first;
    const Attribute& attribute = entry.second;
    if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
      const auto source = std::find_if(proto.attribute().begin(), proto.attribute().end(),
                                       [&](const AttributeProto& stated) { return stated.name() == name; });
      return {*tensor, source->t().data_type()};
    }
    if (const auto* integer = std::get_if<std::int64_t>(&attribute))
      return {Tensor{{}, {held(*integer)}, true}, TensorProto::INT64};
    if (const auto* real = std::get_if<double>(&attribute)) return {Tensor{{}, {*real}, false}, TensorProto::FLOAT};
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&attribute)) {
      Tensor list{{static_cast<std::int64_t>(integers->size())}, {}, true};
      for (const std::int64_t integer : *integers) list.data.push_back(held(integer));
      return {std::move(list), TensorProto::INT64};
    }
    if (const auto* reals = std::get_if<std::vector<double>>(&attribute))
      return {Tensor{{static_cast<std::int64_t>(reals->size())}, *reals, false}, TensorProto::FLOAT};
    if (const auto* text = std::get_if<std::string>(&attribute))
      return {Tensor{{}, {0}, false, {*text}}, TensorProto::STRING};
    if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute))
      return {text_tensor({static_cast<std::int64_t>(texts->size())}, *texts), TensorProto::STRING};
  }
  refuse(node, "a constant must be a number or a tensor of numbers");
}

/// The element type of a result that no schema describes: that of the operand that it is made of where the operator
/// has one; else the first operand's where that is real, or float.
int type_of(const NodeProto& node, const Tensor& result, std::span<const KnownInput> operands) {
  if (!result.texts.empty()) return TensorProto::STRING;
  if (is(node.op_type(), Class::piece)) return TensorProto::BOOL;
  const std::size_t made_of = node.op_type() == "OneHot" ? 2 : 0;
  const int operand = made_of < operands.size() ? operands[made_of].element_type : 0;
  if (result.integral) return node.domain().empty() && is_integral(operand) ? operand : TensorProto::INT64;
  return is_real(operand) ? operand : static_cast<int>(TensorProto::FLOAT);
}

/// Of a node's inputs, null where one is absent.
std::vector<const Shape*> shapes_of(const Graph& graph, const Node& node) {
  std::vector<const Shape*> shapes;
  for (const TensorId id : node.inputs) shapes.push_back(id == kNoTensor ? nullptr : &graph.tensors[id].shape);
  return shapes;
}

/// An operator outside the reference: what the user can do about it.
std::string unsupported(const std::string& op) {
  static const std::map<std::string, std::string> kInstead{
      {"LRN", "use BatchNormalization"},
      {"DynamicQuantizeLinear", "its scale would depend on private data; quantise the model statically"},
      {"RotaryEmbedding", "export for opset 22 or older, which writes it as products, sums and movements"},
  };
  const auto found = kInstead.find(op);
  return "this operator is not supported; " +
         (found == kInstead.end() ? "write it with operators of the page 'Operators', or end the model before it and "
                                    "compute the rest in the clear"
                                  : found->second);
}

}  // namespace

Builder::Builder(const ::onnx::GraphProto& proto, const std::vector<VersionedNode>& nodes, const Opsets& opsets,
                 const std::map<std::string, Tensor>& bindings, std::int64_t rows)
    : proto_(proto),
      nodes_(nodes),
      opsets_(opsets),
      bindings_(bindings),
      budget_(proto.ByteSizeLong(), rows),
      around_(surroundings()),
      control_flow_(host()) {}

Graph Builder::build() {
  graph_.name = proto_.name();
  for (const TensorProto& tensor : proto_.initializer())
    add_constant(tensor.name(), to_tensor(tensor, fmt::format("the weight tensor '{}'", tensor.name())),
                 tensor.data_type());
  for (const Tensor& weights : graph_.constants) budget_.add_weights(weights.size());
  add_inputs();
  for (const auto& [node, version] : nodes_) add(node, version);
  add_outputs();
  return std::move(graph_);
}

TensorId Builder::add_tensor(const std::string& name, Shape shape, int element_type) {
  element_count(shape);
  const auto id = static_cast<TensorId>(graph_.tensors.size());
  const bool text = element_type == TensorProto::STRING;
  const auto real = reference::real_type(element_type);
  graph_.tensors.push_back({name, std::move(shape), !real && !text, -1, real.value_or(FloatFormat::float64), text,
                            integer_type(element_type).value_or(IntegerType::int64)});
  element_types_.push_back(element_type);
  ids_[name] = id;
  return id;
}

void Builder::add_constant(const std::string& name, Tensor value, int element_type) {
  const TensorId id = add_tensor(name, value.shape, element_type);
  graph_.tensors[id].integral = value.integral;
  graph_.tensors[id].text = !value.texts.empty();
  graph_.tensors[id].constant = static_cast<std::int64_t>(graph_.constants.size());
  graph_.constants.push_back(std::move(value));
}

void Builder::add_inputs() {
  for (const auto& input : proto_.input()) {
    if (ids_.contains(input.name())) continue;  // an initialiser's default value
    const auto& type = input.type().tensor_type();
    if (const auto bound = bindings_.find(input.name()); bound != bindings_.end()) {
      add_constant(input.name(), bound->second, type.elem_type());
      continue;
    }
    Shape shape;
    for (const auto& dim : type.shape().dim()) shape.push_back(dim.dim_value());
    budget_.take_input(input.name(), shape);
    graph_.inputs.push_back(add_tensor(input.name(), std::move(shape), type.elem_type()));
  }
}

TensorId Builder::find(const std::string& name) const {
  if (name.empty()) return kNoTensor;
  const auto found = ids_.find(name);
  if (found == ids_.end())
    base::refuse("'{}' is {}", name,
                 sequences_.contains(name) ? "a sequence, which only an output of the model may be"
                                           : "a tensor that nothing computes");
  return found->second;
}

Surroundings Builder::surroundings() {
  const auto new_name = [this] { return fmt::format("tacit.made.{}", ++made_names_); };
  return {[this](const std::string& tensor) { return known(find(tensor)); },
          [this, new_name](Tensor value, int element_type) {
            std::string name = new_name();
            add_constant(name, std::move(value), element_type);
            return name;
          },
          new_name, [this](const std::string& sentence) { graph_.notes.push_back(sentence); }};
}

ControlFlow::Host Builder::host() {
  const auto version_of = [this](const NodeProto& node) {
    const std::int64_t version = opsets_.version_of(node.domain());
    if (version == 0)
      refuse_node(node, fmt::format("the model does not state its version of the operator set '{}'", node.domain()));
    return version;
  };
  return {around_, [this, version_of](const NodeProto& node) { add(node, version_of(node)); },
          [this](const NodeProto& node) { add_node(node, kFormOpset); },
          [this, version_of](const NodeProto& node) { return adapt(node, version_of(node), around_); },
          [this](const std::string& name, const TensorProto& weights) {
            Tensor value = to_tensor(weights, fmt::format("the weight tensor '{}'", weights.name()));
            budget_.add_weights(value.size());
            add_constant(name, std::move(value), weights.data_type());
          }};
}

void Builder::add(const NodeProto& proto, std::int64_t version) {
  if (holds_bodies(proto)) return control_flow_.write(proto, version);
  const bool contributed = proto.domain() == kContributedDomain;
  for (const NodeProto& step : adapt(proto, version, around_)) add_node(step, contributed ? kFormOpset : version);
}

KnownInput Builder::known(TensorId id) const {
  if (id == kNoTensor) return {};
  return {true, element_types_[id], graph_.tensors[id].shape, graph_.is_constant(id) ? &graph_.constant(id) : nullptr};
}

std::string Builder::unique_name(const NodeProto& proto) {
  const std::string wanted = node_label(proto);
  std::string name = wanted;
  while (names_.contains(name)) name = fmt::format("{}#{}", wanted, ++names_[wanted]);
  names_[name] = 1;
  return name;
}

namespace {

/// NaN matches no key before version 4 of LabelEncoder, which says that it matches a key NaN.
void forget_nan_keys(Node& node) {
  const auto found = node.attributes.find("keys_floats");
  auto* const keys = found == node.attributes.end() ? nullptr : std::get_if<std::vector<double>>(&found->second);
  if (keys == nullptr) return;
  const std::vector<double> before = *keys;
  const auto forget = [&](auto& list) {
    if (list.size() != before.size()) return;  // refused later
    std::size_t at = 0;
    std::erase_if(list, [&](const auto&) { return std::isnan(before[at++]); });
  };
  for (const char* const name : {"values_floats", "values_int64s", "values_strings"}) {
    const auto values = node.attributes.find(name);
    if (values == node.attributes.end()) continue;
    if (auto* const reals = std::get_if<std::vector<double>>(&values->second)) forget(*reals);
    if (auto* const whole = std::get_if<std::vector<std::int64_t>>(&values->second)) forget(*whole);
    if (auto* const texts = std::get_if<std::vector<std::string>>(&values->second)) forget(*texts);
  }
  forget(*keys);
}

}  // namespace

void Builder::add_node(const NodeProto& proto, std::int64_t version) {
  Node node;
  node.op = proto.domain().empty() ? proto.op_type() : proto.domain() + "." + proto.op_type();
  node.name = unique_name(proto);
  for (const std::string& input : proto.input()) node.inputs.push_back(find(input));
  for (const AttributeProto& attribute : proto.attribute())
    node.attributes[attribute.name()] = read_attribute(proto, attribute);
  constexpr std::int64_t kNanIsAKey = 4;
  if (node.op == "ai.onnx.ml.LabelEncoder" && version < kNanIsAKey) forget_nan_keys(node);

  if (node.op == "Constant") {
    Constant constant = read_constant(node, proto);
    budget_.add_weights(constant.value.size());
    add_constant(proto.output(0), std::move(constant.value), constant.element_type);
    return;
  }
  if (node.op == "SequenceConstruct") {  // a list of tensors, which only an output may be
    if (std::find(node.inputs.begin(), node.inputs.end(), kNoTensor) != node.inputs.end())
      refuse(node, "a tensor of the sequence is absent");
    sequences_[proto.output(0)] = node.inputs;
    return;
  }
  if (find_operator(node.op) == nullptr) refuse(node, unsupported(node.op));
  check_declared(node);

  std::vector<KnownInput> inputs;
  for (const TensorId id : node.inputs) inputs.push_back(known(id));
  std::vector<InferredOutput> inferred = infer(proto, version, inputs);
  if (node.op == "BatchNormalization" && flag_attribute(node, "training_mode"))
    refuse(node, "training mode is not supported; export the model in evaluation mode");

  Node call = node;  // its outputs are numbered
  for (int i = 0; i < proto.output_size(); ++i)
    call.outputs.push_back(proto.output(i).empty() ? kNoTensor : static_cast<TensorId>(i));
  if (fold(call, proto, inputs, inferred)) return;
  std::vector<const Tensor*> constants;
  for (const KnownInput& input : inputs) constants.push_back(input.constant);
  reference::refuse_lost_integers(node, constants, false);
  if (runs_on_zeros(proto, version)) complete(std::move(call), proto, inputs, inferred);

  for (int i = 0; i < proto.output_size(); ++i) {
    const InferredOutput& output = inferred[static_cast<std::size_t>(i)];
    if (proto.output(i).empty()) {
      node.outputs.push_back(kNoTensor);
      continue;
    }
    if (!output.known)
      refuse(node, fmt::format("the shape of its output '{}' depends on private data, or the operator is used in a way "
                               "that leaves it open; only static shapes are supported",
                               proto.output(i)));
    node.outputs.push_back(add_tensor(proto.output(i), output.shape, output.element_type));
  }
  budget_.take(node, shapes_of(graph_, node), inferred);
  graph_.nodes.push_back(std::move(node));
}

bool Builder::fold(const Node& node, const NodeProto& proto, std::span<const KnownInput> inputs,
                   const std::vector<InferredOutput>& inferred) {
  const bool shape_only = node.op == "Shape" || node.op == "Size";
  std::vector<const Tensor*> arguments;
  Tensor without_values;
  for (const KnownInput& input : inputs) {
    if (!input.present || input.constant != nullptr) {
      arguments.push_back(input.constant);
    } else if (shape_only) {
      without_values.shape = input.shape;
      arguments.push_back(&without_values);
    } else {
      return false;
    }
  }
  const std::int64_t most = budget_.begin_fold(node, shapes_of(graph_, node), inferred);
  std::vector<Tensor> results = reference::evaluate(graph_, node, arguments, most);
  for (int i = 0; i < proto.output_size(); ++i) {
    if (proto.output(i).empty()) continue;
    const auto at = static_cast<std::size_t>(i);
    if (at >= results.size()) refuse(node, fmt::format("its output '{}' is not supported", proto.output(i)));
    budget_.end_fold(node, results[at]);
    const int inferred_type = inferred[at].element_type;
    const int type = inferred_type != 0 ? inferred_type : type_of(proto, results[at], inputs);
    add_constant(proto.output(i), std::move(results[at]), type);
    reference::as_stated(node, graph_.tensors.back(), graph_.constants.back());
  }
  return true;
}

void Builder::complete(Node node, const NodeProto& proto, std::span<const KnownInput> inputs,
                       std::vector<InferredOutput>& inferred) const {
  budget_.check_work(node, shapes_of(graph_, node));
  std::vector<Tensor> zeros(node.inputs.size());
  std::vector<const Tensor*> arguments(node.inputs.size(), nullptr);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    arguments[i] = inputs[i].constant;
    if (!inputs[i].present || inputs[i].constant != nullptr) continue;
    const TensorInfo& info = graph_.tensors[node.inputs[i]];
    zeros[i] = {info.shape, std::vector<double>(static_cast<std::size_t>(element_count(info.shape))), info.integral};
    if (info.text) zeros[i].texts = {""};
    arguments[i] = &zeros[i];
  }
  // A zero or an empty text may be none of its categories, whatever the attribute says of data.
  if (node.op == "ai.onnx.ml.OneHotEncoder") node.attributes["zeros"] = std::int64_t{1};
  const std::vector<Tensor> results = reference::evaluate(graph_, node, arguments, budget_.most_activation());
  for (std::size_t i = 0; i < inferred.size() && i < results.size(); ++i) {
    inferred[i].known = true;
    inferred[i].shape = results[i].shape;
    inferred[i].element_type = type_of(proto, results[i], inputs);
  }
}

void Builder::add_outputs() {
  if (proto_.output_size() == 0) throw base::InputError("the model has no output");
  for (const auto& output : proto_.output()) {
    const auto sequence = sequences_.find(output.name());
    if (sequence == sequences_.end())
      graph_.outputs.push_back(find(output.name()));
    else
      graph_.outputs.insert(graph_.outputs.end(), sequence->second.begin(), sequence->second.end());
  }
}

}  // namespace tacit::graph::onnx
