#pragma once

#include <optional>

#include "graph/passes/network.h"
#include "layout/layout.h"

namespace tacit::graph::passes {

/// [batch, channels, rows, columns] with more than one pixel.
bool is_feature_map(const Shape& shape);

/// Where the feature maps of a network lie when they have guards around them: all on one grid of points, so that a
/// window with a stride reads its input where it lies (layout::Layout::guarded).
struct GuardGrid {
  layout::Index pitch = 0;    ///< points a row
  layout::Index cell = 0;     ///< slots a point
  layout::Index columns = 0;  ///< of the widest map

  /// Of a feature map that takes the points that its strides leave. None where it does not fit the slots.
  std::optional<layout::Layout> layout_of(const Shape& shape, layout::Layout::GapRows rows, layout::Index slots) const;
};

/// A grid with as many guards between rows, and between columns, as the widest window pads on a side, and with the
/// largest cells that fit the slots and that channels fill. None where there are no feature maps or the slots are too
/// few.
std::optional<GuardGrid> guard_grid(const Network& network, layout::Index slots);

}  // namespace tacit::graph::passes
