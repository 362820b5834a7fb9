#pragma once

#include <cstdint>
#include <optional>

#include "graph/passes/network.h"
#include "layout/layout.h"

namespace tacit::graph::passes {

/// [batch, channels, rows, columns] with more than one pixel.
bool is_feature_map(const Shape& shape);

/// What lies around the feature maps of a network.
enum class GridKind : std::uint8_t {
  none,     ///< no grid: each map has a layout of its own
  guarded,  ///< free rows and columns, which hold zeros where a window may read them
  tight,    ///< nothing: maps fill their rows, and windows read a map's rows without those that they wrap around to
};

/// Where the feature maps of a network lie: all on one grid of points, so that a window with a stride reads its input
/// where it lies (layout::Layout::guarded).
struct FeatureGrid {
  GridKind kind = GridKind::guarded;
  layout::Index slots = 0;    ///< of a ciphertext
  layout::Index pitch = 0;    ///< points a row
  layout::Index cell = 0;     ///< slots a point
  layout::Index columns = 0;  ///< of the widest map
  layout::Index spread = 1;   ///< Layout::GapRows::spread
  layout::Index phases = 1;   ///< Layout::GapRows::phases: more than 1 where the largest map exceeds a ciphertext

  /// Of a feature map that takes the points that its strides leave. None where it does not fit the slots. The spread
  /// and the phases of `rows` are the grid's.
  std::optional<layout::Layout> layout_of(const Shape& shape, layout::Layout::GapRows rows) const;
  /// Between the points of such a map.
  layout::Index gap_of(const Shape& shape) const;
  /// Whether a ciphertext with all channels that it has room for has some of them in the rows between a map's rows.
  bool channels_share_rows(const Shape& shape) const {
    const layout::Index gap = gap_of(shape);
    return gap * spread > phases && shape[1] > gap * cell;
  }
  /// That a ciphertext has room for, or those that share its rows, of maps with the gap of this one.
  layout::Index rows_of(const Shape& shape) const {
    const layout::Index apart = gap_of(shape) * spread, row = pitch * cell;
    return apart >= phases ? slots / (row * (apart / phases)) : slots / row * (phases / apart);
  }
};

/// A guarded grid has as many guards between rows, and between columns, as the widest window pads on a side; a tight
/// one has a power of two of columns. Cells are the largest that fit the slots and that channels fill. Where the slots
/// are too few for the rows of a map, these lie in as few phases as do. None where there are no feature maps or a row
/// does not fit, and no tight one unless it holds more than a guarded one.
std::optional<FeatureGrid> feature_grid(const Network& network, layout::Index slots, GridKind kind);

}  // namespace tacit::graph::passes
