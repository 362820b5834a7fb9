#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::graph::reference {

struct Call;

/// Returns the shape to which two tensors broadcast (multidirectional, as in NumPy), or none if they do not.
std::optional<Shape> broadcast_shape(const Shape& a, const Shape& b);

/// The offsets at which the elements of `result` are read in a tensor of shape `source` that broadcasts to it.
class BroadcastIndex {
 public:
  BroadcastIndex(const Shape& source, const Shape& result);
  /// Returns the source's offset for the current element, and steps to the next one in row-major order.
  std::size_t next();

 private:
  std::vector<std::int64_t> extents_, strides_, position_;  ///< innermost first
  std::int64_t offset_ = 0;
};

/// Returns the offsets at which the elements of a tensor of shape `result` are read in an operand. Refuses the node if
/// the operand does not broadcast to that shape. `what` names the operand in the error.
BroadcastIndex broadcast_to(const Call& call, const std::string& what, const Tensor& operand, const Shape& result);

}  // namespace tacit::graph::reference
