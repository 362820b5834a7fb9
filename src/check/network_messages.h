#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/links.h"

namespace tacit::check {

/// A tensor of the model that is known: its name and its elements, row-major.
struct KnownTensor {
  std::string name;
  const std::vector<double>* elements = nullptr;
};

/// Message functions at the level of the network: the exact operators of graph/reference on the nodes of the model that
/// lie between some tensors and another. Thread safe.
class NetworkMessages {
 public:
  /// `graph` must outlive this object.
  explicit NetworkMessages(const graph::Graph& graph);

  /// The elements of tensor `name`, from those of `known`; constants come from the graph. Where every known tensor
  /// holds those of several samples side by side, so does the result. Throws InputError where the tensor depends on
  /// something else, for names that the graph does not have, and for another number of elements.
  std::vector<double> operator()(const std::string& name, std::span<const KnownTensor> known) const;
  /// The operators that lie between, in order: "AveragePool 'p1' + Conv 'c2'".
  std::string operators(const std::string& name, std::span<const std::string> known) const;

 private:
  /// Of one sample.
  std::vector<double> message(graph::TensorId wanted, std::map<graph::TensorId, graph::Tensor> values) const;
  graph::TensorId id(const std::string& name) const;
  const graph::Shape& shape(const std::string& name) const;  ///< of one sample's tensor
  /// The nodes to run, in topological order.
  std::vector<std::size_t> between(graph::TensorId wanted, const std::vector<graph::TensorId>& known) const;

  const graph::Graph& graph_;
  const graph::Links links_;
  std::map<std::string, graph::TensorId> ids_;
};

}  // namespace tacit::check
