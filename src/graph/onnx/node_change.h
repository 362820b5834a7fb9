#pragma once

#include <onnx/defs/attr_proto_util.h>
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/onnx/adapt.h"

namespace tacit::graph::onnx {

/// A node on its way to the graph's form. Adapters change `node` in place. Nodes that they add run before or after it.
struct NodeChange {
  ::onnx::NodeProto node;
  std::int64_t version;
  const Surroundings& around;
  std::vector<::onnx::NodeProto> before{}, after{};

  /// Removes the attribute from the node and returns it. None if it is absent.
  std::optional<::onnx::AttributeProto> take(const std::string& name);
  std::int64_t take_integer(const std::string& name, std::int64_t fallback);
  std::optional<std::vector<std::int64_t>> take_integers(const std::string& name);
  /// Sets an attribute to an integer, a float, a text or integers.
  template <typename Value>
  void set(const std::string& name, const Value& value) {
    take(name);
    *node.add_attribute() = ::onnx::MakeAttribute(name, value);
  }

  bool has_input(int index) const { return index < node.input_size() && !node.input(index).empty(); }
  /// Returns an input. Refuses the node if the input is absent.
  KnownInput input(int index) const;
  /// Returns the integers of an input that must be a constant. Refuses the node if the input depends on private data.
  std::vector<std::int64_t> constant_input(int index, const char* what) const;
  void set_input(int index, const std::string& tensor);
  void set_input(int index, const std::vector<std::int64_t>& integers);
  void set_input(int index, double real, int element_type);
  /// Sets an input to a constant vector of reals.
  void set_input(int index, const std::vector<double>& reals);
  /// Drops the inputs from `index` on.
  void drop_inputs(int index);
  /// Returns a node of one input and one output with the name of this node.
  ::onnx::NodeProto step(const char* op, const std::string& input, const std::string& output) const;
  /// Adds a node of one output that runs before this one. Returns the name of its output.
  std::string add_before(const char* op, const std::vector<std::string>& inputs,
                         const std::vector<::onnx::AttributeProto>& attributes = {});
  /// Makes this node an operator of ONNX with these inputs and attributes. It keeps its outputs.
  void become(const char* op, const std::vector<std::string>& inputs,
              const std::vector<::onnx::AttributeProto>& attributes = {});
};

/// A change of the form of operators ("Add, Sub"). `apply` brings nodes of versions in [from, until) to a newer form.
struct FormChange {
  std::string_view ops;
  std::int64_t from, until;
  void (*apply)(NodeChange& change);
};

/// The end of versions of a form that is not left behind by any opset.
inline constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();

/// Return the changes of forms that opset 17 no longer has, and of forms that later opsets added.
std::span<const FormChange> older_forms();
std::span<const FormChange> newer_forms();
/// Returns the changes of forms of ONNX Runtime's own operators (kContributedDomain).
std::span<const FormChange> contributed_forms();

}  // namespace tacit::graph::onnx
