#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "graph/links.h"
#include "graph/passes/analyse_sharding.h"
#include "graph/passes/network.h"

namespace tacit::graph::passes {

/// True for a tensor that is not a constant. False for kNoTensor.
bool is_encrypted(const Graph& graph, TensorId id);

/// The sharding of the values that hold a tensor. If no value holds it, the sharding of the values that it leads to.
struct ShardingPlace {
  std::vector<ValueId> values;  ///< values that hold the tensor, at least one
  layout::ArraySharding sharding;
};

/// Finds the values of a network to which shardings of a graph's tensors apply. Passes compose operators, and a tensor
/// between two composed operators is no value. The rules of the operators carry its sharding to the next tensor that is
/// a value. All arguments must outlive this object.
class ShardingPlaces {
 public:
  ShardingPlaces(const Network& network, const Graph& graph, const ShardingAnalysis& analysis);

  /// Finds the value that holds this input of an operator, or the value from which composed operators make the input.
  /// None if the blocks do not survive these operators.
  std::optional<ShardingPlace> of_input(TensorId tensor, const layout::ArraySharding& sharding) const;
  /// Finds the value that holds this output of an operator, or the value that composed operators make from the output.
  std::optional<ShardingPlace> of_output(TensorId tensor, const layout::ArraySharding& sharding) const;
  /// Finds the values that hold the tensor itself, if any.
  std::optional<ShardingPlace> here(TensorId tensor, const layout::ArraySharding& sharding) const;

  /// Returns the nodes that read a tensor. `producer` returns the node that makes it, if any.
  const std::vector<std::size_t>& readers(TensorId tensor) const { return links_.readers[tensor]; }
  std::optional<std::size_t> producer(TensorId tensor) const { return links_.makers[tensor]; }

 private:
  const Network& network_;
  const Graph& graph_;
  const ShardingAnalysis& analysis_;
  std::map<TensorId, std::vector<ValueId>> values_;
  const Links links_;
};

}  // namespace tacit::graph::passes
