#include "graph/slots/feature_grid.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "layout/operators/window.h"
#include "program/visit.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;
using layout::Layout;

// The most phases. With more, a ciphertext would have only a few rows.
constexpr Index kMostPhases = 64;

Index power_of_two_up_to(Index x) { return static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(x))); }
Index power_of_two_from(Index x) { return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(x))); }

Index largest_padding(const Network& network) {
  Index most = 1;
  for (const Value& value : network.values)
    if (const auto* affine = std::get_if<Affine>(&value.operation))
      for (const AffineTerm& term : affine->terms)
        if (const auto pattern = term.op->window_pattern())
          for (const layout::WindowAxis& axis : pattern->window.axes())
            most = std::max({most, axis.pad_begin, axis.pad_end});
  return most;
}

// True if an operator slides a window of several elements.
bool slides_windows(const Network& network) {
  const auto slides = [](const AffineTerm& term) {
    const auto pattern = term.op->window_pattern();
    return pattern &&
           std::ranges::any_of(pattern->window.axes(), [](const layout::WindowAxis& axis) { return axis.kernel > 1; });
  };
  return std::ranges::any_of(network.values, [&](const Value& value) {
    const auto* affine = std::get_if<Affine>(&value.operation);
    return affine != nullptr && std::ranges::any_of(affine->terms, slides);
  });
}

}  // namespace

std::string to_text(GridKind kind) {
  switch (kind) {
    case GridKind::none: return "";
    case GridKind::guarded: return ", guarded grid";
    case GridKind::tight: return ", tight grid";
  }
  throw base::InternalError("there is no such kind of grid");
}

std::optional<Layout> FeatureGrid::layout_of(const FeatureMap& map, Layout::GapRows rows) const {
  rows.spread = spread;
  rows.phases = phases;
  if (pitch / map.gaps.columns < map.shape[3] || map.shape[2] > rows_of(map)) return std::nullopt;
  return Layout::guarded(map.shape, pitch, cell, map.gaps, rows, slots);
}

std::optional<FeatureGrid> feature_grid(const Network& network, Index slots, GridKind kind) {
  if (kind == GridKind::none) return std::nullopt;
  FeatureGrid grid{.kind = kind, .slots = slots, .maps = feature_maps(network)};
  std::vector<FeatureMap> maps;
  for (const FeatureMap& map : grid.maps)
    if (is_feature_map(map.shape)) maps.push_back(map);
  if (maps.empty()) return std::nullopt;
  // Stacks of matrices have as many dimensions as feature maps.
  if (program::count_of<Contraction>(network.values) > 0 && !slides_windows(network)) return std::nullopt;
  const Index guards = kind == GridKind::guarded ? largest_padding(network) : 0;
  Index largest_gap = 1;
  for (const FeatureMap& map : maps) largest_gap = std::max(largest_gap, map.gaps.columns);
  Index channels = 1, batch = 1;
  for (const auto& [shape, gaps] : maps) {
    const Index wanted = gaps.columns * (shape[3] + guards);
    grid.pitch = std::max(grid.pitch, (wanted + largest_gap - 1) / largest_gap * largest_gap);
    channels = std::max(channels, (shape[1] + gaps.columns - 1) / gaps.columns);
    batch = std::max(batch, shape[0]);
  }
  if (kind == GridKind::tight) grid.pitch = power_of_two_from(grid.pitch);
  // Returns the rows of the grid if `phases` rows of a map share each of them. Guards of a map share rows, too.
  const auto rows_in = [&](Index phases) {
    Index rows = 0;
    for (const auto& [shape, gaps] : maps)
      rows = std::max(rows, (gaps.rows * (shape[2] + guards) + phases - 1) / phases);
    return rows;
  };
  while (rows_in(grid.phases) * grid.pitch > slots && grid.phases < kMostPhases) grid.phases *= 2;
  const Index rows = rows_in(grid.phases);
  if (rows * grid.pitch > slots) return std::nullopt;
  grid.cell = std::min(power_of_two_up_to(slots / (rows * grid.pitch)), power_of_two_from(channels));
  if (kind == GridKind::tight) {
    if (grid.phases == 1)
      grid.spread = std::min(power_of_two_up_to(slots / (rows * grid.pitch * grid.cell)), power_of_two_from(batch));
    const std::optional<FeatureGrid> guarded = feature_grid(network, slots, GridKind::guarded);
    if (guarded && guarded->cell * grid.phases >= grid.cell * grid.spread * guarded->phases) return std::nullopt;
  }
  return grid;
}

}  // namespace tacit::graph::passes
