#include "graph/onnx/adapt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graph/declaration.h"
#include "graph/integers.h"
#include "graph/onnx/node_change.h"
#include "graph/onnx/opsets.h"
#include "graph/onnx/refuse_node.h"

namespace tacit::graph::onnx {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

std::optional<AttributeProto> NodeChange::take(const std::string& name) {
  for (int i = 0; i < node.attribute_size(); ++i) {
    if (node.attribute(i).name() != name) continue;
    AttributeProto taken = node.attribute(i);
    node.mutable_attribute()->DeleteSubrange(i, 1);
    return taken;
  }
  return std::nullopt;
}

std::int64_t NodeChange::take_integer(const std::string& name, std::int64_t fallback) {
  const auto attribute = take(name);
  if (!attribute) return fallback;
  if (attribute->type() != AttributeProto::INT)
    refuse_node(node, fmt::format("attribute '{}' has the wrong type", name));
  return attribute->i();
}

std::optional<std::vector<std::int64_t>> NodeChange::take_integers(const std::string& name) {
  const auto attribute = take(name);
  if (!attribute) return std::nullopt;
  if (attribute->type() != AttributeProto::INTS)
    refuse_node(node, fmt::format("attribute '{}' has the wrong type", name));
  return std::vector<std::int64_t>(attribute->ints().begin(), attribute->ints().end());
}

KnownInput NodeChange::input(int index) const {
  if (!has_input(index)) refuse_node(node, fmt::format("its input {} is missing", index));
  return around.known(node.input(index));
}

std::vector<std::int64_t> NodeChange::constant_input(int index, const char* what) const {
  const KnownInput known = input(index);
  if (known.constant == nullptr)
    refuse_node(node, fmt::format("its {} depend on private data; only constant ones are supported", what));
  if (!known.constant->integral) refuse_node(node, fmt::format("its {} are no integers", what));
  for (const double integer : known.constant->data)
    if (std::abs(integer) > kLargestInteger) refuse_node(node, fmt::format("one of its {} is beyond 2^53", what));
  return {known.constant->data.begin(), known.constant->data.end()};
}

void NodeChange::set_input(int index, const std::string& tensor) {
  while (node.input_size() <= index) node.add_input();
  node.set_input(index, tensor);
}

void NodeChange::set_input(int index, const std::vector<std::int64_t>& integers) {
  Tensor constant{{static_cast<std::int64_t>(integers.size())}, {}, true};
  for (const std::int64_t integer : integers) constant.data.push_back(held(integer));
  set_input(index, around.constant(std::move(constant), TensorProto::INT64));
}

void NodeChange::set_input(int index, double real, int element_type) {
  set_input(index, around.constant({{}, {real}, false}, element_type));
}

void NodeChange::set_input(int index, const std::vector<double>& reals) {
  set_input(index, around.constant({{static_cast<std::int64_t>(reals.size())}, reals, false}, TensorProto::FLOAT));
}

void NodeChange::drop_inputs(int index) {
  while (node.input_size() > index) node.mutable_input()->RemoveLast();
}

std::string NodeChange::add_before(const char* op, const std::vector<std::string>& inputs,
                                   const std::vector<AttributeProto>& attributes) {
  const std::string result = around.intermediate();
  NodeProto made = step(op, inputs.at(0), result);
  for (std::size_t i = 1; i < inputs.size(); ++i) made.add_input(inputs[i]);
  for (const AttributeProto& attribute : attributes) *made.add_attribute() = attribute;
  before.push_back(std::move(made));
  return result;
}

void NodeChange::become(const char* op, const std::vector<std::string>& inputs,
                        const std::vector<AttributeProto>& attributes) {
  node.set_op_type(op);
  node.clear_domain();
  node.clear_input();
  for (const std::string& input : inputs) node.add_input(input);
  node.clear_attribute();
  for (const AttributeProto& attribute : attributes) *node.add_attribute() = attribute;
}

NodeProto NodeChange::step(const char* op, const std::string& input, const std::string& output) const {
  NodeProto made;
  made.set_op_type(op);
  made.set_name(node_label(node));
  made.add_input(input);
  made.add_output(output);
  return made;
}

std::vector<NodeProto> adapt(NodeProto node, std::int64_t version, const Surroundings& around) {
  NodeChange change{std::move(node), version, around};
  if (is_default_domain(change.node.domain())) {
    change.node.clear_domain();
    if (version < 6) change.take("consumed_inputs");  // a hint for in-place execution
    const std::string op = change.node.op_type();
    for (const auto forms : {older_forms(), newer_forms()})
      for (const FormChange& form : forms)
        if (choice_of(form.ops, op) && version >= form.from && version < form.until) form.apply(change);
  }
  if (change.node.domain() == kContributedDomain) {
    const std::string op = change.node.op_type();
    for (const FormChange& form : contributed_forms())
      if (choice_of(form.ops, op)) {
        form.apply(change);
        break;
      }
  }
  std::vector<NodeProto> steps = std::move(change.before);
  steps.push_back(std::move(change.node));
  for (NodeProto& step : change.after) steps.push_back(std::move(step));
  return steps;
}

bool is_contributed(const std::string& op) {
  return std::ranges::any_of(contributed_forms(),
                             [&](const FormChange& form) { return choice_of(form.ops, op).has_value(); });
}

}  // namespace tacit::graph::onnx
