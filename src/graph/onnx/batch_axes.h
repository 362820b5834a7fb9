#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// The axes of a model's tensors that hold its batch. They follow from two graphs of the model: with a batch of 1, and
/// with several rows. Both graphs must outlive this object.
class BatchAxes {
 public:
  using Axes = std::vector<std::size_t>;
  BatchAxes(const Graph& one, const Graph& several);

  /// Returns the batch axes of a tensor of `one`. None if `several` has it with another number of axes, or not at all.
  std::optional<Axes> of(TensorId id) const;

  /// True if the node certainly computes across rows. Examples are a result without the batch, a result for pairs of
  /// rows, and a Softmax along the batch.
  bool mixes(const Node& node) const;
  /// True if the node certainly treats every row alone: the batch is the first axis, and the operator leaves this axis
  /// alone.
  bool keeps_apart(const Node& node) const;

 private:
  bool leads(TensorId id) const;
  const Graph& one_;
  const Graph& several_;
  std::map<std::string, TensorId> several_ids_;
};

}  // namespace tacit::graph::onnx
