#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "graph/graph.h"
#include "graph/limits.h"
#include "graph/onnx/infer.h"

namespace tacit::graph::onnx {

/// The rest of the bounds in limits.h while a model is read. Throws InputError, naming the node, the size and the
/// bound, before anything that is too large is computed.
class Budget {
 public:
  /// Sets the bounds of a file of `file_bytes` bytes. They hold for each of the `rows` rows that inputs hold.
  Budget(std::size_t file_bytes, std::int64_t rows);
  /// Counts elements of constants that the file holds.
  void add_weights(std::int64_t elements);

  /// Returns the most elements of one tensor that depends on an input.
  std::int64_t most_activation() const { return most_activation_; }
  void take_input(const std::string& name, const Shape& shape);
  /// Counts a node that depends on an input.
  void take(const Node& node, std::span<const Shape* const> inputs, std::span<const InferredOutput> outputs);
  /// Checks the work of the same node, whose outputs are not known.
  void check_work(const Node& node, std::span<const Shape* const> inputs) const;

  /// Counts a node on constants, before it is evaluated. Returns the most elements that its results may have.
  std::int64_t begin_fold(const Node& node, std::span<const Shape* const> inputs,
                          std::span<const InferredOutput> outputs);
  /// Counts one of the results of this node.
  void end_fold(const Node& node, const Tensor& result);

 private:
  std::int64_t most_activation_, activations_ = 0, most_activations_, folded_ = 0, most_folded_ = kMostFoldedElements;
  double work_ = 0, most_work_, folding_ = 0, most_folding_;
};

}  // namespace tacit::graph::onnx
