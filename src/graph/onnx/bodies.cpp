#include "graph/onnx/bodies.h"

#include <fmt/format.h>

#include <unordered_set>

#include "graph/onnx/opsets.h"
#include "graph/onnx/refuse_node.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

std::unordered_set<std::string> defined_in(const GraphProto& body) {
  std::unordered_set<std::string> names;
  for (const auto& input : body.input()) names.insert(input.name());
  for (const TensorProto& tensor : body.initializer()) names.insert(tensor.name());
  for (const NodeProto& node : body.node()) names.insert(node.output().begin(), node.output().end());
  return names;
}

void visit_captured(const GraphProto& body, const std::function<void(const std::string&)>& visit) {
  const std::unordered_set<std::string> inside = defined_in(body);
  const auto read = [&](const std::string& name) {
    if (!name.empty() && !inside.contains(name)) visit(name);
  };
  for (const NodeProto& node : body.node()) {
    for (const std::string& input : node.input()) read(input);
    for_each_captured(node, read);
  }
  for (const auto& output : body.output()) read(output.name());
}

void rename(std::string& name, const Renamed& names) {
  if (const auto found = names.find(name); found != names.end()) name = found->second;
}

void rename_body(GraphProto& body, Renamed names) {
  for (const std::string& inside : defined_in(body)) names.erase(inside);
  for (NodeProto& node : *body.mutable_node()) {
    for (std::string& input : *node.mutable_input()) rename(input, names);
    rename_captured(node, names);
  }
  for (auto& output : *body.mutable_output()) rename(*output.mutable_name(), names);
}

}  // namespace

bool holds_bodies(const NodeProto& node) {
  return is_default_domain(node.domain()) &&
         (node.op_type() == "If" || node.op_type() == "Loop" || node.op_type() == "Scan");
}

const GraphProto& body_of(const NodeProto& node, const std::string& name) {
  for (const AttributeProto& attribute : node.attribute())
    if (attribute.name() == name && attribute.has_g()) return attribute.g();
  refuse_node(node, fmt::format("its network '{}' is missing", name));
}

void for_each_captured(const NodeProto& node, const std::function<void(const std::string&)>& visit) {
  for (const AttributeProto& attribute : node.attribute())
    if (attribute.has_g()) visit_captured(attribute.g(), visit);
}

void rename_captured(NodeProto& node, const Renamed& names) {
  for (AttributeProto& attribute : *node.mutable_attribute())
    if (attribute.has_g()) rename_body(*attribute.mutable_g(), names);
}

Body::Body(const GraphProto& proto, std::string prefix) : proto_(proto), prefix_(std::move(prefix)) {
  for (const TensorProto& tensor : proto.initializer()) {
    const std::string name = prefix_ + tensor.name();
    shared_.emplace(tensor.name(), name);
    weights_.emplace_back(name, &tensor);
  }
}

Body::Copy Body::copy(const std::vector<std::string>& inputs) {
  const std::string prefix = fmt::format("{}{}/", prefix_, ++copies_);
  Renamed names = shared_;
  std::size_t next = 0;
  for (const auto& input : proto_.input())
    if (!shared_.contains(input.name()) && next < inputs.size()) names[input.name()] = inputs[next++];
  Copy copy;
  for (const NodeProto& node : proto_.node()) {
    NodeProto made = node;
    made.set_name(prefix + node_label(node));
    for (std::string& input : *made.mutable_input()) rename(input, names);
    rename_captured(made, names);
    for (std::string& output : *made.mutable_output()) {
      if (output.empty()) continue;
      names[output] = prefix + output;
      output = prefix + output;
    }
    copy.nodes.push_back(std::move(made));
  }
  for (const auto& output : proto_.output()) {
    std::string name = output.name();
    rename(name, names);
    copy.outputs.push_back(std::move(name));
  }
  return copy;
}

}  // namespace tacit::graph::onnx
