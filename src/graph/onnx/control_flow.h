#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "graph/onnx/adapt.h"
#include "graph/onnx/bodies.h"

namespace tacit::graph::onnx {

/// Replaces nodes that hold networks by nodes of the network around them.
/// - An If with a constant condition becomes its branch. With a private condition both branches are run, and Where
///   takes one of their results.
/// - A Scan that treats all rows alike becomes the same operators on all rows at once. An example is a Scan that
///   computes distances from the rows of a constant. Other Scans, and Loops of known rounds, are unrolled.
class ControlFlow {
 public:
  struct Host {
    Surroundings around;
    std::function<void(const ::onnx::NodeProto& node)> add;    ///< a node of the model's operator sets
    std::function<void(const ::onnx::NodeProto& node)> place;  ///< a node in the graph's form
    std::function<std::vector<::onnx::NodeProto>(const ::onnx::NodeProto& node)>
        adapted;  ///< brings a node to the graph's form
    std::function<void(const std::string& name, const ::onnx::TensorProto& weights)> define;
  };
  explicit ControlFlow(Host host) : host_(std::move(host)) {}

  /// Throws InputError naming the node, if private data decide the number of rounds, or if there are too many.
  void write(const ::onnx::NodeProto& node, std::int64_t version);

 private:
  void write_choice(const ::onnx::NodeProto& node);
  void write_scan(const ::onnx::NodeProto& node);
  void write_loop(const ::onnx::NodeProto& node);
  /// Returns true if all rows of a Scan could be computed at once.
  bool write_mapped(const ::onnx::NodeProto& node, const ::onnx::GraphProto& body, int states, std::int64_t rows);

  /// Returns the network in an attribute, after its weights are defined.
  Body open(const ::onnx::NodeProto& node, const std::string& attribute);
  std::vector<std::string> run(const ::onnx::NodeProto& node, Body& body, const std::vector<std::string>& inputs);
  std::string step(const ::onnx::NodeProto& node, const char* op, const std::vector<std::string>& inputs,
                   const std::vector<::onnx::AttributeProto>& attributes = {});
  void name(const ::onnx::NodeProto& node, const std::string& tensor, int output);
  /// Joins the rounds' results in one tensor, along a new first axis.
  void stack(const ::onnx::NodeProto& node, const std::vector<std::string>& parts, int output);

  Host host_;
  std::size_t unrolled_ = 0, bodies_ = 0;
};

}  // namespace tacit::graph::onnx
