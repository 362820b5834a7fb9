#include "graph/slots/row_slices.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "layout/operators/row_band.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;

// Slices of one map cost a product each; operators that need more are left whole.
constexpr Index kMostSlices = 8;

std::vector<RowPart> parts_of(const layout::LinearOperatorPtr& op, const Shape& in, const Shape& out, Index stride,
                              Index room, bool unknown) {
  // Where rows around the output are to stay zero, a free row is none that an offset may reach.
  const Index rows = in[2], free = unknown ? room - rows : 0, around = rows + free;
  const layout::RowOffsets all = layout::row_offsets(*op, in, out, stride);
  const Index last_read = stride * (out[2] - 1);
  // Offsets from `lowest` to `highest` reach free rows at most.
  const Index lowest = -free, highest = around - 1 - last_read;
  const Index slices = std::max<Index>(0, lowest - all.first) + std::max<Index>(0, all.last - highest);
  const std::vector<RowPart> whole{{0, rows, op}};
  if (slices == 0 || slices > kMostSlices) return whole;
  std::vector<RowPart> parts;
  const auto add = [&](Index first, Index last, Index begin, Index kept) {
    if (first > last || kept < 1) return;
    parts.push_back({begin, kept, layout::selected(op, {in, out, stride, first, last, begin, kept})});
  };
  add(std::max(all.first, lowest), std::min(all.last, highest), 0, rows);
  for (Index offset = all.first; offset <= all.last; ++offset) {
    if (offset >= lowest && offset <= highest) continue;
    const Index begin = std::max<Index>(0, last_read + offset - around + 1);  // rows before are read around the end
    const Index end = std::min(rows, around + std::min<Index>(0, offset));    // rows from here on, around the beginning
    add(offset, offset, begin, end - begin);
  }
  return parts;
}

}  // namespace

const std::vector<RowPart>& RowSlices::parts(const layout::LinearOperatorPtr& op, const Shape& in, const Shape& out,
                                             const FeatureGrid& grid, bool unknown) {
  const bool maps = is_feature_map(in) && is_feature_map(out);
  const Index stride = maps ? grid.gap_of(out) / grid.gap_of(in) : 0;
  const Index room = stride > 0 ? grid.rows_of(in) : 0;
  const auto [made, fresh] = known_.try_emplace({op.get(), stride, room, unknown});
  if (fresh) {
    made->second.op = op;
    if (stride > 0 && grid.kind == GridKind::tight)
      made->second.parts = parts_of(op, in, out, stride, room, unknown);
    else
      made->second.parts = {{0, maps ? in[2] : 1, op}};
  }
  return made->second.parts;
}

bool covers_rows(const Shape& in, const Shape& out, const FeatureGrid& grid) {
  return grid.gap_of(in) * in[2] == grid.gap_of(out) * out[2];
}

bool covers_all_rows(const Network& network) {
  FeatureGrid grid;
  for (const Value& value : network.values)
    if (is_feature_map(value.shape)) grid.columns = std::max(grid.columns, value.shape[3]);
  for (const Value& value : network.values)
    if (const auto* affine = std::get_if<Affine>(&value.operation); affine && is_feature_map(value.shape))
      for (const AffineTerm& term : affine->terms) {
        const Shape& in = network.values[term.input].shape;
        if (is_feature_map(in) && !covers_rows(in, value.shape, grid)) return false;
      }
  return true;
}

}  // namespace tacit::graph::passes
