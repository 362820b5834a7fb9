#include "graph/reference/broadcast.h"

#include <fmt/format.h>

#include <algorithm>

#include "graph/reference/operator_call.h"

namespace tacit::graph::reference {

std::optional<Shape> broadcast_shape(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (std::size_t back = 0; back < result.size(); ++back) {
    const std::int64_t left = back < a.size() ? a[a.size() - 1 - back] : 1;
    const std::int64_t right = back < b.size() ? b[b.size() - 1 - back] : 1;
    if (left != right && left != 1 && right != 1) return std::nullopt;
    result[result.size() - 1 - back] = left == 1 ? right : left;
  }
  return result;
}

BroadcastIndex::BroadcastIndex(const Shape& source, const Shape& result)
    : extents_(result.rbegin(), result.rend()), strides_(result.size(), 0), position_(result.size(), 0) {
  std::int64_t stride = 1;
  for (std::size_t back = 0; back < source.size(); ++back) {
    const std::int64_t extent = source[source.size() - 1 - back];
    strides_[back] = extent == 1 ? 0 : stride;
    stride *= extent;
  }
}

std::size_t BroadcastIndex::next() {
  const auto here = static_cast<std::size_t>(offset_);
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    offset_ += strides_[i];
    if (++position_[i] < extents_[i]) break;
    offset_ -= strides_[i] * extents_[i];
    position_[i] = 0;
  }
  return here;
}

BroadcastIndex broadcast_to(const Call& call, const std::string& what, const Tensor& operand, const Shape& result) {
  if (broadcast_shape(operand.shape, result) != result)
    call.refuse(fmt::format("{} of shape {} does not broadcast to {}", what, to_text(operand.shape), to_text(result)));
  return {operand.shape, result};
}

}  // namespace tacit::graph::reference
