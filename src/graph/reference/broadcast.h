#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::reference {

struct Call;

/// The shape two tensors broadcast to (multidirectional, as in NumPy), or nothing where they do not.
std::optional<Shape> broadcast_shape(const Shape& a, const Shape& b);

/// Where each element of `result` is read from in a tensor of shape `source` that broadcasts to it.
class BroadcastIndex {
 public:
  BroadcastIndex(const Shape& source, const Shape& result);
  /// The source's offset for the current element, and a step to the next one in row-major order.
  std::size_t next();

 private:
  std::vector<std::int64_t> extents_, strides_, position_;  ///< innermost first
  std::int64_t offset_ = 0;
};

/// Where each element of a tensor of shape `result` is read from in an operand. Refuses the node where the operand does
/// not broadcast to that shape; `what` says in the error what it is.
BroadcastIndex broadcast_to(const Call& call, const std::string& what, const Tensor& operand, const Shape& result);

}  // namespace tacit::graph::reference
