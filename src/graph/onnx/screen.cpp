#include "graph/onnx/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>

#include "base/error.h"
#include "graph/limits.h"
#include "graph/onnx/adapt.h"
#include "graph/onnx/bodies.h"
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

/// Networks inside networks, at the most.
constexpr int kDeepestBodies = 8;

void screen_node(const NodeProto& node, int depth);

void screen_body(const NodeProto& node, const ::onnx::GraphProto& body, int depth) {
  if (depth > kDeepestBodies)
    refuse_node(node, fmt::format("networks are inside each other more than {} deep", kDeepestBodies));
  if (body.sparse_initializer_size() > 0) refuse_node(node, "weights of its network are sparse; store them densely");
  for (const TensorProto& tensor : body.initializer())
    screen_tensor(tensor, fmt::format("the weight tensor '{}'", tensor.name()));
  for (const NodeProto& inside : body.node()) screen_node(inside, depth);
}

void screen_attribute(const NodeProto& node, const AttributeProto& attribute, int depth) {
  if ((attribute.has_g() && !holds_bodies(node)) || attribute.graphs_size() > 0)
    refuse_node(node, "control flow (a network inside a network) is supported in If, Loop and Scan only");
  if (attribute.has_g()) screen_body(node, attribute.g(), depth + 1);
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

constexpr const char* kBeforeOptimised =
    "take the model before ONNX Runtime optimised it, or save it with graph_optimization_level = ORT_ENABLE_BASIC";

/// True for operators that ONNX Runtime makes of others when it optimises a model.
bool is_optimised(const std::string& op) {
  constexpr std::string_view kMarks[] = {"Fused",     "Fast",       "Bias",        "Skip",       "Attention",
                                         "LayerNorm", "Nchwc",      "Gelu",        "Quick",      "NhwcConv",
                                         "Rotary",    "EmbedLayer", "MatMulNBits", "MatMulScale"};
  return std::ranges::any_of(kMarks, [&](std::string_view mark) { return op.find(mark) != std::string::npos; });
}

/// How to export a model without an operator of ONNX Runtime's own.
std::string instead_of_contributed(const std::string& op) {
  if (op.starts_with("Dynamic") || op == "MatMulIntegerToFloat")
    return "its scales would depend on private data; quantise the model statically (quantize_static)";
  if (op.starts_with("Q") || op.find("Quantize") != std::string::npos)
    return "quantise the model with quant_format=QuantFormat.QDQ, which writes operators of ONNX";
  if (is_optimised(op)) return kBeforeOptimised;
  if (op == "Tokenizer")
    return "cut the text into words and count them in the clear, before encryption, and export the steps behind it";
  return "export the model with operators of ai.onnx, or leave this step out of the model and compute it in the clear";
}

void screen_domain(const NodeProto& node) {
  const std::string& domain = node.domain();
  if (is_default_domain(domain) || domain == kMachineLearningDomain) return;
  if (domain == kContributedDomain && is_contributed(node.op_type())) return;
  if (domain == kContributedDomain)
    refuse_node(node, fmt::format("this operator of the domain '{}' is not supported; {}", domain,
                                  instead_of_contributed(node.op_type())));
  if (domain.starts_with(kContributedDomain))  // com.microsoft.nchwc, com.microsoft.experimental
    refuse_node(node, fmt::format("the operator domain '{}' is for one machine; {}", domain, kBeforeOptimised));
  refuse_node(node, fmt::format("the operator domain '{}' is not supported; only ai.onnx and ai.onnx.ml are, and "
                                "functions that the model defines: export the model with operators of these",
                                domain));
}

void screen_node(const NodeProto& node, int depth) {
  screen_domain(node);
  for (const AttributeProto& attribute : node.attribute()) screen_attribute(node, attribute, depth);
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

/// Names that are defined in a network, and around it.
struct Scope {
  const Scope* around;
  const std::unordered_set<std::string_view>& names;

  bool contains(const std::string& name) const {
    return names.contains(name) || (around != nullptr && around->contains(name));
  }
};

/// Inside a node's networks every tensor is defined before it is read: there, or around them.
void screen_names_inside(const NodeProto& node, const Scope& around) {
  for (const AttributeProto& attribute : node.attribute()) {
    if (!attribute.has_g()) continue;
    const ::onnx::GraphProto& body = attribute.g();
    std::unordered_set<std::string_view> defined, computed;
    const Scope here{&around, defined};
    const auto define = [&](const std::string& name) {
      check_name(name, "a tensor", kLongestName);
      defined.insert(name);
    };
    for (const auto& input : body.input()) define(input.name());
    for (const TensorProto& tensor : body.initializer()) define(tensor.name());
    for (const NodeProto& inside : body.node()) {
      check_name(inside.name(), "a node", kLongestName);
      for (const std::string& input : inside.input())
        if (!input.empty() && !here.contains(input))
          refuse_node(inside, fmt::format("its input '{}' is computed by no earlier node", input));
      screen_names_inside(inside, here);
      for (const std::string& output : inside.output()) {
        if (output.empty()) continue;
        if (!computed.insert(output).second) base::refuse("the tensor '{}' is defined twice", output);
        define(output);
      }
    }
    for (const auto& output : body.output())
      if (!here.contains(output.name()))
        refuse_node(node, fmt::format("the output '{}' of its network is computed by no node", output.name()));
  }
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
    if (holds_bodies(node)) screen_names_inside(node, Scope{nullptr, defined});
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
    screen_node(node, 0);
    if (version == 0)
      refuse_node(node, fmt::format("the model does not state its version of the operator set '{}'",
                                    is_default_domain(node.domain()) ? "ai.onnx" : kMachineLearningDomain));
  }
  screen_names(graph, nodes);
}

}  // namespace tacit::graph::onnx
