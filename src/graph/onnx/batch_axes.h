#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::onnx {

/// Which axes of a model's tensors hold its batch, from two graphs of it: with a batch of 1, and with several rows.
/// Both must outlive this.
class BatchAxes {
 public:
  using Axes = std::vector<std::size_t>;
  BatchAxes(const Graph& one, const Graph& several);

  /// Of a tensor of `one`; none where `several` holds it with another number of axes, or not at all.
  std::optional<Axes> of(TensorId id) const;

  /// True if the node surely computes across rows: a result without the batch, a result for pairs of rows, a Softmax
  /// along the batch.
  bool mixes(const Node& node) const;
  /// True if the node surely treats every row alone: the batch is the first axis, and the operator leaves that alone.
  bool keeps_apart(const Node& node) const;

 private:
  bool leads(TensorId id) const;
  const Graph& one_;
  const Graph& several_;
  std::map<std::string, TensorId> several_ids_;
};

}  // namespace tacit::graph::onnx
