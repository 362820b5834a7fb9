#pragma once

#include <onnx/defs/attr_proto_util.h>
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/onnx/adapt.h"

namespace tacit::graph::onnx {

/// A node on its way to the graph's form. Adapters change `node` in place; what they add runs before or after it.
struct NodeChange {
  ::onnx::NodeProto node;
  std::int64_t version;
  const Surroundings& around;
  std::vector<::onnx::NodeProto> before{}, after{};

  /// The attribute, removed from the node; null where it is absent.
  std::optional<::onnx::AttributeProto> take(const std::string& name);
  std::int64_t take_integer(const std::string& name, std::int64_t fallback);
  std::optional<std::vector<std::int64_t>> take_integers(const std::string& name);
  /// An integer, a float, a text or integers.
  template <typename Value>
  void set(const std::string& name, const Value& value) {
    take(name);
    *node.add_attribute() = ::onnx::MakeAttribute(name, value);
  }

  bool has_input(int index) const { return index < node.input_size() && !node.input(index).empty(); }
  /// Refuses the node where it is absent.
  KnownInput input(int index) const;
  /// The integers of an input that must be a constant. Refuses the node where it depends on private data.
  std::vector<std::int64_t> constant_input(int index, const char* what) const;
  void set_input(int index, const std::string& tensor);
  void set_input(int index, const std::vector<std::int64_t>& integers);
  void set_input(int index, double real, int element_type);
  /// Reals as a vector.
  void set_input(int index, const std::vector<double>& reals);
  /// Drops inputs from `index` on.
  void drop_inputs(int index);
  /// A node of one input and one output with the name of this one.
  ::onnx::NodeProto step(const char* op, const std::string& input, const std::string& output) const;
};

/// A change of the form of operators ("Add, Sub"): nodes of versions in [from, until) are brought on by `apply`.
struct FormChange {
  std::string_view ops;
  std::int64_t from, until;
  void (*apply)(NodeChange& change);
};

/// Forms that opset 17 no longer has, and forms that came after it.
std::span<const FormChange> older_forms();
std::span<const FormChange> newer_forms();
/// Forms of ONNX Runtime's own operators (kContributedDomain).
std::span<const FormChange> contributed_forms();

}  // namespace tacit::graph::onnx
