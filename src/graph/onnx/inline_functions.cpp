#include "graph/onnx/inline_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "base/error.h"
#include "graph/onnx/bodies.h"
#include "graph/onnx/refuse_node.h"

namespace tacit::graph::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::NodeProto;

constexpr std::size_t kMostNodes = std::size_t{1} << 17;
constexpr std::size_t kMostCalls = std::size_t{1} << 17;  // functions may be empty
constexpr std::size_t kDeepestCalls = 64;
// Copies of constants in functions may take this, or a few times the bytes of the file.
constexpr std::size_t kMostModelBytes = std::size_t{1} << 26;
constexpr std::size_t kMostBytesPerByte = 4;

// Fields that later file formats added; the packaged library keeps them as unknown ones.
constexpr int kOverloadOfNode = 8, kOverloadOfFunction = 13, kAttributeDefault = 11;

template <typename Visit>
void for_each_unknown(const google::protobuf::Message& message, int number, Visit visit) {
  const auto& fields = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    if (field.number() == number && field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      visit(field.length_delimited());
  }
}

std::string unknown_text(const google::protobuf::Message& message, int number) {
  std::string text;
  for_each_unknown(message, number, [&](const std::string& value) { text = value; });
  return text;
}

using Key = std::tuple<std::string, std::string, std::string>;  // domain, name, overload

struct Function {
  const FunctionProto* proto = nullptr;
  Opsets opsets;
  std::map<std::string, AttributeProto> defaults;
};

using Names = std::unordered_map<std::string, std::string>;
using Attributes = std::map<std::string, AttributeProto>;

class Inliner {
 public:
  Inliner(const ::onnx::ModelProto& model, const Opsets& opsets)
      : model_(model), opsets_(opsets), most_bytes_(kMostModelBytes + kMostBytesPerByte * model.ByteSizeLong()) {
    for (const FunctionProto& proto : model.functions()) define(proto);
  }

  std::vector<VersionedNode> run() {
    if (!functions_.empty()) note_names();
    for (const NodeProto& node : model_.graph().node()) add(node, opsets_);
    return std::move(result_);
  }

 private:
  void define(const FunctionProto& proto) {
    const std::string name = fmt::format("the function '{}'", proto.name());
    if (is_default_domain(proto.domain()) || proto.domain() == kMachineLearningDomain)
      base::refuse("{} is defined in the domain '{}' of ONNX and would shadow an operator; give it a domain of its own",
                   name, proto.domain().empty() ? "ai.onnx" : proto.domain());
    Function function{&proto, read_opsets(proto.opset_import(), name), {}};
    for_each_unknown(proto, kAttributeDefault, [&](const std::string& bytes) {
      AttributeProto attribute;
      if (!attribute.ParseFromString(bytes)) base::refuse("{} has an attribute that cannot be read", name);
      function.defaults[attribute.name()] = attribute;
    });
    const Key key{proto.domain(), proto.name(), unknown_text(proto, kOverloadOfFunction)};
    if (!functions_.emplace(key, std::move(function)).second) base::refuse("{} is defined twice", name);
  }

  void note_names() {
    const auto& graph = model_.graph();
    for (const auto& tensor : graph.initializer()) taken_.insert(tensor.name());
    for (const auto& input : graph.input()) taken_.insert(input.name());
    note_names(graph.node());
  }

  template <class Nodes>
  void note_names(const Nodes& nodes) {
    for (const NodeProto& node : nodes) {
      taken_.insert(node.output().begin(), node.output().end());
      for (const AttributeProto& attribute : node.attribute())
        if (attribute.has_g()) note_names(attribute.g().node());
    }
  }

  // No name of the model begins with it.
  std::string new_prefix(const NodeProto& call) {
    for (;;) {
      const std::string prefix = fmt::format("{}.{}/", node_label(call), ++calls_);
      const auto next = taken_.lower_bound(prefix);
      if (next == taken_.end() || !next->starts_with(prefix)) return prefix;
    }
  }

  void add(const NodeProto& node, const Opsets& opsets) {
    const Key key{node.domain(), node.op_type(), unknown_text(node, kOverloadOfNode)};
    const auto found = functions_.find(key);
    if (found != functions_.end())
      expand(node, key, found->second);
    else
      push(node, opsets.version_of(node.domain()));
  }

  void push(const NodeProto& node, std::int64_t version) {
    if (result_.size() >= kMostNodes) base::refuse("its functions expand to more than {} nodes", kMostNodes);
    if (!stack_.empty()) bytes_ += node.ByteSizeLong();
    if (bytes_ > most_bytes_) base::refuse("its functions expand to more than {} bytes", most_bytes_);
    result_.push_back({functions_.empty() ? node : with_inlined_bodies(node), version});
  }

  /// The node with every call in its bodies replaced, to any depth. A body is read in one version of each domain.
  NodeProto with_inlined_bodies(const NodeProto& node) {
    NodeProto copy = node;
    for (AttributeProto& attribute : *copy.mutable_attribute()) {
      if (!attribute.has_g()) continue;
      std::vector<VersionedNode> outside;
      outside.swap(result_);
      for (const NodeProto& inner : attribute.g().node()) add(inner, opsets_);
      outside.swap(result_);
      attribute.mutable_g()->clear_node();
      for (VersionedNode& inner : outside) {
        if (inner.version != opsets_.version_of(inner.node.domain()))
          refuse_node(node,
                      fmt::format("a function that its branch or body calls is written for another version of the "
                                  "operators than the model ({}); export both for one version, or leave this step out "
                                  "of the model and compute it in the clear, before encryption",
                                  inner.version));
        *attribute.mutable_g()->add_node() = std::move(inner.node);
      }
    }
    return copy;
  }

  void expand(const NodeProto& call, const Key& key, const Function& function) {
    const FunctionProto& proto = *function.proto;
    if (std::find(stack_.begin(), stack_.end(), key) != stack_.end())
      refuse_node(call, fmt::format("the function '{}' calls itself", proto.name()));
    if (stack_.size() >= kDeepestCalls)
      refuse_node(call, fmt::format("functions call each other more than {} deep", kDeepestCalls));
    if (call.input_size() > proto.input_size() || call.output_size() > proto.output_size())
      refuse_node(call,
                  fmt::format("the function '{}' takes {} inputs and gives {} outputs, not {} and {}", proto.name(),
                              proto.input_size(), proto.output_size(), call.input_size(), call.output_size()));
    const std::string prefix = new_prefix(call);
    if (calls_ > kMostCalls) base::refuse("its functions expand to more than {} calls", kMostCalls);
    stack_.push_back(key);
    Names names;
    for (int i = 0; i < proto.input_size(); ++i)
      names[proto.input(i)] = i < call.input_size() ? call.input(i) : std::string();
    Names outer;  // of the results that the caller names
    for (int i = 0; i < call.output_size(); ++i)
      if (!call.output(i).empty()) outer[proto.output(i)] = call.output(i);
    for (const auto& [result, name] : outer)
      if (names.contains(result)) push(identity(names[result], name, prefix), kFormOpset);
    Attributes attributes = function.defaults;
    for (const AttributeProto& attribute : call.attribute()) attributes[attribute.name()] = attribute;
    for (const NodeProto& node : proto.node())
      add(renamed(node, proto, prefix, names, outer, attributes), function.opsets);
    for (const auto& [result, name] : outer)
      if (!names.contains(result))
        refuse_node(call, fmt::format("the function '{}' does not compute its output '{}'", proto.name(), result));
    stack_.pop_back();
  }

  static NodeProto identity(const std::string& from, const std::string& to, const std::string& prefix) {
    NodeProto node;
    node.set_op_type("Identity");
    node.set_name(prefix + "output");
    node.add_input(from);
    node.add_output(to);
    return node;
  }

  NodeProto renamed(const NodeProto& node, const FunctionProto& function, const std::string& prefix, Names& names,
                    const Names& outer, const Attributes& attributes) const {
    NodeProto copy = node;
    copy.set_name(prefix + node_label(node));
    for (std::string& input : *copy.mutable_input()) {
      if (input.empty()) continue;
      const auto found = names.find(input);
      if (found == names.end())
        refuse_node(node,
                    fmt::format("the function '{}' reads '{}', which it does not define", function.name(), input));
      input = found->second;
    }
    for_each_captured(node, [&](const std::string& tensor) {
      if (!names.contains(tensor))
        refuse_node(node,
                    fmt::format("the function '{}' reads '{}', which it does not define", function.name(), tensor));
    });
    for (std::string& output : *copy.mutable_output()) {
      if (output.empty()) continue;
      const auto result = outer.find(output);
      const std::string name = result != outer.end() ? result->second : prefix + output;
      if (!names.emplace(output, name).second)
        refuse_node(node, fmt::format("the function '{}' defines '{}' twice", function.name(), output));
      output = name;
    }
    copy.clear_attribute();
    for (const AttributeProto& attribute : node.attribute()) {
      if (attribute.ref_attr_name().empty()) {
        *copy.add_attribute() = attribute;
      } else if (const auto given = attributes.find(attribute.ref_attr_name()); given != attributes.end()) {
        AttributeProto* value = copy.add_attribute();
        *value = given->second;
        value->set_name(attribute.name());
      }
    }
    rename_captured(copy, names);
    return copy;
  }

  const ::onnx::ModelProto& model_;
  const Opsets opsets_;
  std::map<Key, Function> functions_;
  std::set<std::string> taken_;
  std::vector<Key> stack_;
  std::vector<VersionedNode> result_;
  std::size_t calls_ = 0, bytes_ = 0;
  const std::size_t most_bytes_;
};

}  // namespace

std::vector<VersionedNode> inline_functions(const ::onnx::ModelProto& model, const Opsets& opsets) {
  return Inliner(model, opsets).run();
}

}  // namespace tacit::graph::onnx
