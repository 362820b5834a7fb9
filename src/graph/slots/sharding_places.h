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

/// Whether a node reads or makes a tensor there that is no constant.
bool is_encrypted(const Graph& graph, TensorId id);

/// A tensor's sharding where the network holds the tensor, or what follows from it there.
struct ShardingPlace {
  std::vector<ValueId> values;  ///< that are this tensor, at least one
  layout::ArraySharding sharding;
};

/// Finds the values of a network that shardings of a graph's tensors speak of. Passes compose operators: a tensor
/// between two of them is no value then, and its sharding is carried by their rules to the next tensor that is one. All
/// must outlive this.
class ShardingPlaces {
 public:
  ShardingPlaces(const Network& network, const Graph& graph, const ShardingAnalysis& analysis);

  /// Of an operator's input: carried back to what is read before operators that it is composed with. None where the
  /// blocks do not survive these.
  std::optional<ShardingPlace> of_input(TensorId tensor, const layout::ArraySharding& sharding) const;
  /// Of an operator's output: carried on to what is made behind operators that it is composed with.
  std::optional<ShardingPlace> of_output(TensorId tensor, const layout::ArraySharding& sharding) const;
  /// Of the tensor itself, if values hold it.
  std::optional<ShardingPlace> here(TensorId tensor, const layout::ArraySharding& sharding) const;

  /// The nodes that read a tensor, and the one that makes it, if any.
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
