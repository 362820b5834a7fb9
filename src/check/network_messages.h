#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/links.h"

namespace tacit::check {

/// A known tensor of the model: its name and its elements, row-major.
struct KnownTensor {
  std::string name;
  const std::vector<double>* elements = nullptr;
};

/// Message functions at the level of the network. They run the exact operators of graph/reference on the nodes between
/// some tensors and another. Thread safe.
class NetworkMessages {
 public:
  /// `graph` must outlive this object.
  explicit NetworkMessages(const graph::Graph& graph);

  /// Returns the elements of tensor `name`, computed from those of `known`. Constants come from the graph. If every
  /// known tensor holds several samples side by side, so does the result. Throws InputError if an element depends on
  /// other tensors, for unknown names, and for another number of elements.
  std::vector<double> operator()(const std::string& name, std::span<const KnownTensor> known) const;
  /// Returns the operators between, in order: "AveragePool 'p1' + Conv 'c2'".
  std::string operators(const std::string& name, std::span<const std::string> known) const;

 private:
  /// Computes the message of one sample.
  std::vector<double> message(graph::TensorId wanted, std::map<graph::TensorId, graph::Tensor> values) const;
  graph::TensorId id(const std::string& name) const;
  const graph::Shape& shape(const std::string& name) const;  ///< of one sample's tensor
  /// The way from known tensors to another.
  struct Between {
    std::vector<std::size_t> nodes;    ///< to run, in topological order
    std::set<graph::TensorId> unmade;  ///< what they read and nothing makes; no element of it may reach the end
  };
  Between between(graph::TensorId wanted, const std::vector<graph::TensorId>& known) const;
  [[noreturn]] void refuse_dependence(graph::TensorId wanted, graph::TensorId on) const;

  const graph::Graph& graph_;
  const graph::Links links_;
  std::map<std::string, graph::TensorId> ids_;
};

}  // namespace tacit::check
