#include "graph/slots/row_slices.h"

#include <algorithm>

#include "layout/operators/combined.h"
#include "layout/operators/row_band.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;

// A slice costs a product and a rotation. Operators that need more slices stay whole.
constexpr std::size_t kMostSlices = 8;

}  // namespace

layout::LinearOperatorPtr RowSlices::selected(const layout::LinearOperatorPtr& op,
                                              const layout::RowSelection& selection) {
  const auto* factors = dynamic_cast<const layout::Scaled*>(op.get());
  if (factors) return factors->around(selected(factors->op(), selection), selection);
  const std::array numbers{selection.stride, selection.first, selection.last, selection.begin, selection.rows};
  const auto [made, fresh] = selected_.try_emplace({op.get(), selection.in, selection.out, numbers});
  if (fresh) made->second = {op, layout::selected(op, selection)};
  return made->second.op;
}

// Returns the parts of an operator. `grid_stride` input rows of the grid are between two output rows. The operator's
// own stride may differ. `room` rows like those of the input fit a ciphertext.
std::vector<RowPart> RowSlices::parts_of(const layout::LinearOperatorPtr& op, const Shape& in, const Shape& out,
                                         Index grid_stride, Index room, Beside beside) {
  const Index rows = in[2], last_read = grid_stride * (out[2] - 1);
  const std::vector<RowPart> whole{{0, rows, op}};
  // The number of rows after which the rows repeat. If free rows may be written to, they are part of the period.
  const Index period = beside == Beside::unknown ? room : rows;
  // With more output rows than that, a row that is left out for one output row would be missing for another.
  if (last_read >= period) return whole;
  // The offsets that read the map or free rows, from every output row.
  const Index lowest = rows - period, highest = period - 1 - last_read;
  std::vector<Index> within, beyond;
  const auto [offsets, fresh] = offsets_.try_emplace({op.get(), in, out, grid_stride});
  if (fresh) offsets->second = layout::row_offsets(*op, in, out, grid_stride);
  for (const Index offset : offsets->second)
    (offset >= lowest && offset <= highest ? within : beyond).push_back(offset);
  if (beyond.empty() || beyond.size() > kMostSlices) return whole;
  std::vector<RowPart> parts;
  const auto add = [&](Index first, Index last, Index begin, Index end) {
    if (begin < end)
      parts.push_back({begin, end - begin, selected(op, {in, out, grid_stride, first, last, begin, end - begin})});
  };
  if (!within.empty()) add(within.front(), within.back(), 0, rows);
  for (const Index offset : beyond) {
    const Index begin = std::max<Index>(0, last_read + offset - period + 1);  // earlier rows wrap around at the end
    const Index end = std::min(rows, period + std::min<Index>(0, offset));    // later rows wrap around at the beginning
    add(offset, offset, begin, end);
  }
  return parts;
}

const std::vector<RowPart>& RowSlices::parts(const layout::LinearOperatorPtr& op, const FeatureMap& in,
                                             const FeatureMap& out, const FeatureGrid& grid, Beside beside) {
  const bool maps = grid.kind == GridKind::tight && is_feature_map(in.shape) && is_feature_map(out.shape);
  const Index grid_stride = maps ? out.gaps.rows / in.gaps.rows : 0;
  const Index room = grid_stride > 0 ? grid.rows_of(in) : 0;
  const auto [made, fresh] = known_.try_emplace({op.get(), in.shape, out.shape, grid_stride, room, beside});
  if (fresh) {
    made->second.op = op;
    if (grid_stride > 0)
      made->second.parts = parts_of(op, in.shape, out.shape, grid_stride, room, beside);
    else
      made->second.parts = {{0, is_feature_map(in.shape) ? in.shape[2] : 1, op}};
  }
  return made->second.parts;
}

bool covers_rows(const FeatureMap& in, const FeatureMap& out) {
  return in.gaps.rows * in.shape[2] == out.gaps.rows * out.shape[2];
}

bool covers_all_rows(const Network& network) {
  const std::vector<FeatureMap> maps = feature_maps(network);
  for (ValueId id = 0; id < maps.size(); ++id)
    if (const auto* affine = std::get_if<Affine>(&network.values[id].operation);
        affine && is_feature_map(maps[id].shape))
      for (const AffineTerm& term : affine->terms)
        if (is_feature_map(maps[term.input].shape) && !covers_rows(maps[term.input], maps[id])) return false;
  return true;
}

}  // namespace tacit::graph::passes
