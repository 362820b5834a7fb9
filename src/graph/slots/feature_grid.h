#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/passes/network.h"
#include "graph/slots/feature_map.h"
#include "layout/layout.h"

namespace tacit::graph::passes {

/// The surroundings of the feature maps of a network.
enum class GridKind : std::uint8_t {
  none,     ///< no grid: each map has a separate layout
  guarded,  ///< free rows and columns, which hold zeros where a window may read them
  tight,    ///< no free rows: maps fill their rows, and windows skip the rows that they would wrap around to
};

/// Returns ", tight grid" or ", guarded grid", or an empty text if there is no grid.
std::string to_text(GridKind kind);

/// The places of the feature maps of a network. All maps are on one grid of points, so that a window with a stride
/// reads its input in place (layout::Layout::guarded).
struct FeatureGrid {
  GridKind kind = GridKind::guarded;
  layout::Index slots = 0;         ///< slots of a ciphertext
  layout::Index pitch = 0;         ///< points per row
  layout::Index cell = 0;          ///< slots per point
  layout::Index spread = 1;        ///< Layout::GapRows::spread
  layout::Index phases = 1;        ///< Layout::GapRows::phases: more than 1 if the largest map exceeds a ciphertext
  std::vector<FeatureMap> maps{};  ///< by value of the network

  /// Returns the layout of a map, or none if it does not fit the slots. The spread and the phases of `rows` are set to
  /// those of the grid.
  std::optional<layout::Layout> layout_of(const FeatureMap& map, layout::Layout::GapRows rows) const;
  /// True if a full ciphertext has some of the channels in the rows between a map's rows.
  bool channels_share_rows(const FeatureMap& map) const {
    return map.gaps.rows * spread > phases && map.shape[1] > map.gaps.columns * cell;
  }
  /// Returns the number of rows that fit a ciphertext, or the rows that share it, for maps with the gaps of this one.
  layout::Index rows_of(const FeatureMap& map) const {
    const layout::Index apart = map.gaps.rows * spread, row = pitch * cell;
    return apart >= phases ? slots / (row * (apart / phases)) : slots / row * (phases / apart);
  }
};

/// Returns the grid of a network, or none. Its sizes follow from these rules:
/// - A guarded grid has as many guards between rows, and between columns, as the widest window pads on a side.
/// - A tight grid has a power of two of columns.
/// - Cells are the largest that fit the slots and that channels fill.
/// - If the slots are too few for the rows of a map, the rows are spread over as few phases as possible.
///
/// None if there are no feature maps, if matrices are multiplied and no window slides, or if a row does not fit. A
/// tight grid is also none unless it holds more than a guarded one.
std::optional<FeatureGrid> feature_grid(const Network& network, layout::Index slots, GridKind kind);

}  // namespace tacit::graph::passes
