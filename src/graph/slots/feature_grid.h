#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/passes/network.h"
#include "graph/slots/feature_map.h"
#include "layout/layout.h"

namespace tacit::graph::passes {

/// What lies around the feature maps of a network.
enum class GridKind : std::uint8_t {
  none,     ///< no grid: each map has a layout of its own
  guarded,  ///< free rows and columns, which hold zeros where a window may read them
  tight,    ///< nothing: maps fill their rows, and windows read a map's rows without those that they wrap around to
};

/// ", tight grid", or nothing where there is no grid.
std::string to_text(GridKind kind);

/// Where the feature maps of a network lie: all on one grid of points, so that a window with a stride reads its input
/// where it lies (layout::Layout::guarded).
struct FeatureGrid {
  GridKind kind = GridKind::guarded;
  layout::Index slots = 0;         ///< of a ciphertext
  layout::Index pitch = 0;         ///< points a row
  layout::Index cell = 0;          ///< slots a point
  layout::Index spread = 1;        ///< Layout::GapRows::spread
  layout::Index phases = 1;        ///< Layout::GapRows::phases: more than 1 where the largest map exceeds a ciphertext
  std::vector<FeatureMap> maps{};  ///< by value of the network

  /// None where the map does not fit the slots. The spread and the phases of `rows` are the grid's.
  std::optional<layout::Layout> layout_of(const FeatureMap& map, layout::Layout::GapRows rows) const;
  /// Whether a ciphertext with all channels that it has room for has some of them in the rows between a map's rows.
  bool channels_share_rows(const FeatureMap& map) const {
    return map.gaps.rows * spread > phases && map.shape[1] > map.gaps.columns * cell;
  }
  /// That a ciphertext has room for, or those that share its rows, of maps with the gaps of this one.
  layout::Index rows_of(const FeatureMap& map) const {
    const layout::Index apart = map.gaps.rows * spread, row = pitch * cell;
    return apart >= phases ? slots / (row * (apart / phases)) : slots / row * (phases / apart);
  }
};

/// A guarded grid has as many guards between rows, and between columns, as the widest window pads on a side; a tight
/// one has a power of two of columns. Cells are the largest that fit the slots and that channels fill. Where the slots
/// are too few for the rows of a map, these lie in as few phases as do. None where there are no feature maps or a row
/// does not fit, and no tight one unless it holds more than a guarded one.
std::optional<FeatureGrid> feature_grid(const Network& network, layout::Index slots, GridKind kind);

}  // namespace tacit::graph::passes
