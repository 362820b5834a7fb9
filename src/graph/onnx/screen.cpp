#include "graph/onnx/screen.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>

#include "base/error.h"
#include "graph/limits.h"
#include "graph/onnx/opsets.h"
#include "graph/onnx/refuse_node.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

void screen_tensor(const TensorProto& tensor, const std::string& what) {
  if (tensor.data_location() == TensorProto::EXTERNAL || tensor.external_data_size() > 0)
    base::refuse("{} keeps its data in another file; save the model with the weights inside", what);
}

void screen_attribute(const NodeProto& node, const AttributeProto& attribute) {
  if (attribute.has_g() || attribute.graphs_size() > 0)
    refuse_node(node, "control flow (a network inside a network) is not supported");
  if (attribute.has_sparse_tensor() || attribute.sparse_tensors_size() > 0)
    refuse_node(node, fmt::format("attribute '{}' is a sparse tensor, which is not supported", attribute.name()));
  if (attribute.has_tp() || attribute.type_protos_size() > 0)
    refuse_node(node, fmt::format("attribute '{}' is a type, which is not supported", attribute.name()));
  if (!attribute.ref_attr_name().empty())
    refuse_node(node, fmt::format("attribute '{}' refers to the attribute of a function, and this node is in none",
                                  attribute.name()));
  if (attribute.has_t()) screen_tensor(attribute.t(), fmt::format("a tensor of node '{}'", node_label(node)));
  for (const TensorProto& tensor : attribute.tensors())
    screen_tensor(tensor, fmt::format("a tensor of node '{}'", node_label(node)));
}

/// Well-formed UTF-8, as names in plans and reports must be.
bool is_unicode(std::string_view text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

void check_name(std::string_view name, const char* whose, std::size_t longest) {
  if (name.size() > longest)
    base::refuse("the name of {} has {} bytes, and {} is the most; shorten it", whose, name.size(), longest);
  if (!is_unicode(name)) base::refuse("the name of {} is no text in UTF-8", whose);
}

/// Every tensor is defined once, before it is read. The library's converter follows names without looking.
void screen_names(const ::onnx::GraphProto& graph, const std::vector<VersionedNode>& nodes) {
  std::unordered_set<std::string_view> defined, weights;
  const auto define = [&](const std::string& name) {
    if (name.empty()) throw base::InputError("an input or a weight tensor has no name");
    check_name(name, "a tensor", kLongestName);
    if (!defined.insert(name).second) base::refuse("the tensor '{}' is defined twice", name);
  };
  for (const TensorProto& tensor : graph.initializer()) {
    define(tensor.name());
    weights.insert(tensor.name());
  }
  std::unordered_set<std::string_view> inputs;
  for (const auto& input : graph.input()) {
    if (!inputs.insert(input.name()).second) base::refuse("the input '{}' is defined twice", input.name());
    if (!weights.contains(input.name())) define(input.name());
  }
  for (const auto& [node, version] : nodes) {
    check_name(node.name(), "a node", kLongestName);
    for (const std::string& input : node.input()) {
      if (!input.empty() && !defined.contains(input))
        refuse_node(node, fmt::format("its input '{}' is computed by no earlier node", input));
    }
    bool any = false;
    for (const std::string& output : node.output()) {
      if (!output.empty()) define(output);
      any = any || !output.empty();
    }
    if (!any) refuse_node(node, "it has no output");
  }
  for (const auto& output : graph.output()) {
    if (!defined.contains(output.name())) base::refuse("the output '{}' is computed by no node", output.name());
  }
}

}  // namespace

void screen(const ::onnx::GraphProto& graph, const std::vector<VersionedNode>& nodes) {
  check_name(graph.name(), "the model", kLongestModelName);
  if (graph.sparse_initializer_size() > 0)
    base::refuse("the weights '{}' are sparse, which is not supported; store them densely",
                 graph.sparse_initializer(0).values().name());
  for (const TensorProto& tensor : graph.initializer())
    screen_tensor(tensor, fmt::format("the weight tensor '{}'", tensor.name()));
  for (const auto& [node, version] : nodes) {
    if (!is_default_domain(node.domain()) && node.domain() != kMachineLearningDomain)
      refuse_node(node, fmt::format("the operator domain '{}' is not supported; only ai.onnx and ai.onnx.ml are",
                                    node.domain()));
    if (version == 0)
      refuse_node(node, fmt::format("the model does not state its version of the operator set '{}'",
                                    is_default_domain(node.domain()) ? "ai.onnx" : kMachineLearningDomain));
    for (const AttributeProto& attribute : node.attribute()) screen_attribute(node, attribute);
  }
  screen_names(graph, nodes);
}

}  // namespace tacit::graph::onnx
