#include "layout/operators/movement.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "layout/operators/matrix.h"
#include "tensor/broadcast.h"
#include "tensor/operators.h"

namespace tacit::tensor {
namespace {

using layout::Gather;
using layout::TileDim;

/// To a tensor of `sizes` the elements of one of `source` sizes whose index along `dim` is map(index), or kNothing.
template <class Map>
layout::LinearOperatorPtr moved_along(int dim, const Shape& source, const Shape& sizes, const Map& map) {
  Index inner = 1, outer = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    (static_cast<int>(i) < dim ? outer : inner) *= static_cast<int>(i) == dim ? 1 : sizes[i];
  const Index along = sizes[static_cast<std::size_t>(dim)], from = source[static_cast<std::size_t>(dim)];
  std::vector<Index> result;
  result.reserve(static_cast<std::size_t>(outer * along * inner));
  for (Index o = 0; o < outer; ++o)
    for (Index c = 0; c < along; ++c) {
      const Index at = map(c);
      for (Index i = 0; i < inner; ++i) result.push_back(at == Gather::kNothing ? at : (o * from + at) * inner + i);
    }
  return std::make_shared<Gather>(source, sizes, std::move(result));
}

TileDim resized(TileDim dim, Index size) {
  dim.size = size;
  dim.interleaved_outer = 0;
  if (size != 1) dim.copies = 1;
  return dim;
}

TileTensor apply(std::span<const TileTensor> inputs, std::span<const layout::LinearOperatorPtr> ops,
                 const TileShape& target, const char* operation) {
  std::vector<layout::LinearMap> maps;
  std::vector<View> views;
  const TileShape clean = target.without_unknowns();
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    const TileTensor& a = inputs[t];
    check_level(a, operation);
    if (clean.slots() != a.shape().slots())
      base::refuse("{}: {} has tiles of {} slots and {} of {}", operation, clean.to_string(), clean.slots(),
                   a.shape().to_string(), a.shape().slots());
    if (layout::element_count(ops[t]->in_shape()) != layout::element_count(a.shape().sizes()) ||
        layout::element_count(ops[t]->out_shape()) != layout::element_count(clean.sizes()))
      base::refuse("{}: from {} to {}: the operator maps [{}] to [{}]", operation, a.shape().to_string(),
                   clean.to_string(), fmt::join(ops[t]->in_shape(), ","), fmt::join(ops[t]->out_shape(), ","));
    maps.push_back({a.shape().layout(), clean.layout(), ops[t]});
    views.push_back(along(a, a.shape()));
  }
  return TileTensor(inputs.front().session(), clean, inputs.front().session()->linear(views, maps));
}

TileTensor apply(const TileTensor& a, const layout::LinearOperatorPtr& op, const TileShape& target,
                 const char* operation) {
  return apply(std::span(&a, 1), std::span(&op, 1), target, operation);
}

/// A view of some tiles along a dimension.
TileTensor tiles_of(const TileTensor& a, const TileShape& shape, int dim, Index first) {
  View view = a.view();
  const auto d = static_cast<std::size_t>(dim);
  view.offset += first * view.strides[d];
  view.extents[d] = shape.dim(dim).outer();
  return TileTensor(a.session(), shape, view);
}

}  // namespace

TileTensor linear(const TileTensor& a, const layout::LinearOperatorPtr& op, const TileShape& target) {
  if (op == nullptr) base::refuse("linear: no operator was given");
  return apply(a, op, target, "linear");
}

TileTensor reshard(const TileTensor& a, const TileShape& target) {
  if (target == a.shape()) return a;
  if (layout::element_count(target.sizes()) != layout::element_count(a.shape().sizes()))
    base::refuse("reshard: {} and {} hold different numbers of elements", a.shape().to_string(), target.to_string());
  const layout::LinearOperatorPtr op = std::make_shared<layout::Identity>(a.shape().sizes(), target.sizes());
  return apply(a, op, target, "reshard");
}

TileTensor sum_into(const TileTensor& a, int dim, const TileShape& target) {
  check_dim(a.shape(), dim, "sum_into");
  Shape out = a.shape().sizes();
  out[static_cast<std::size_t>(dim)] = 1;
  if (layout::element_count(target.sizes()) != layout::element_count(out))
    base::refuse("sum_into: the sums over {} of {} do not fit {}", dim_text(a.shape(), dim), a.shape().to_string(),
                 target.to_string());
  const layout::LinearOperatorPtr op =
      std::make_shared<layout::Reduction>(a.shape().sizes(), out, std::vector<Index>{dim}, 1.0);
  return apply(a, op, target, "sum_into");
}

TileTensor slice(const TileTensor& a, int dim, Index begin, Index count) {
  check_dim(a.shape(), dim, "slice");
  const TileDim& from = a.shape().dim(dim);
  if (begin < 0 || count < 1 || begin > from.size - count)
    base::refuse("slice: positions {} to {} of {} of {} do not exist", begin, begin + count - 1,
                 dim_text(a.shape(), dim), a.shape().to_string());
  if (count == from.size) return a;
  TileDim to = resized(from, count);
  if (!from.interleaved && begin % from.tile == 0) {
    to.unknown = from.unknown || begin + count < from.size;  // what followed is still there
    return tiles_of(a, a.shape().with_dim(dim, to), dim, begin / from.tile);
  }
  const TileShape target = a.shape().with_dim(dim, to);
  const auto op = moved_along(dim, a.shape().sizes(), target.sizes(), [&](Index c) { return begin + c; });
  return apply(a, op, target, "slice");
}

TileTensor concat(const TileTensor& left, const TileTensor& right, int dim) {
  check_same_reading(left.session(), right.session(), "concat");
  check_dim(left.shape(), dim, "concat");
  check_dim(right.shape(), dim, "concat");
  const int level = std::min(left.level(), right.level());
  const TileTensor a = lowered(left, level), b = lowered(right, level);
  Shape sizes = a.shape().sizes(), others = b.shape().sizes();
  const auto d = static_cast<std::size_t>(dim);
  const Index first = sizes[d], second = others[d];
  others[d] = first;
  if (others != sizes)
    base::refuse("concat: {} and {} differ in another dimension than {}", a.shape().to_string(), b.shape().to_string(),
                 dim);
  const TileShape target = a.shape().with_dim(dim, resized(a.shape().dim(dim), first + second));
  std::vector<TileDim> rest_a = a.shape().dims(), rest_b = b.shape().dims();
  const TileDim &x = a.shape().dim(dim), &y = b.shape().dim(dim);
  const bool blocks =
      !x.interleaved && !y.interleaved && x.tile == y.tile && x.copies == 1 && y.copies == 1 && first % x.tile == 0;
  rest_a.erase(rest_a.begin() + dim);
  rest_b.erase(rest_b.begin() + dim);
  if (blocks && rest_a == rest_b) {
    // Tiles of a, then of b, with the outermost other dimensions in front.
    TileDim joined = resized(y, first + second);
    joined.name = x.name;
    const TileShape shape = a.shape().with_dim(dim, std::move(joined));
    std::vector<View> parts;
    Index before = 1;
    for (int i = 0; i < dim; ++i) before *= shape.dim(i).outer();
    for (Index o = 0; o < before; ++o)
      for (const TileTensor* t : {&a, &b}) {
        View part = t->view();
        Index rest = o;
        for (int i = dim; i-- > 0;) {
          const auto k = static_cast<std::size_t>(i);
          part.offset += rest % part.extents[k] * part.strides[k];
          rest /= part.extents[k];
          part.extents[k] = 1;
        }
        parts.push_back(part);
      }
    return TileTensor(a.session(), shape, a.session()->gather(parts));
  }
  const TileTensor inputs[] = {a, b};
  const layout::LinearOperatorPtr ops[] = {
      moved_along(dim, a.shape().sizes(), target.sizes(), [&](Index c) { return c < first ? c : Gather::kNothing; }),
      moved_along(dim, b.shape().sizes(), target.sizes(),
                  [&](Index c) { return c < first ? Gather::kNothing : c - first; })};
  return apply(inputs, ops, target, "concat");
}

TileTensor rotate(const TileTensor& a, int dim, Index steps) {
  check_dim(a.shape(), dim, "rotate");
  const TileDim& d = a.shape().dim(dim);
  const Index n = d.size, r = ((steps % n) + n) % n;
  if (r == 0) return a;
  const bool whole = !d.has_unused() && a.shape().leads(dim) && (d.interleaved || d.outer() == 1);
  const bool tiles_only = d.tile == 1 && d.outer() == n;
  if (!whole && !tiles_only) {
    const auto op = moved_along(dim, a.shape().sizes(), a.shape().sizes(), [&](Index c) { return (c + r) % n; });
    return apply(a, op, a.shape(), "rotate");
  }
  // Tile o of the result is tile (o + r) % e, its places moved by (o + r) / e: runs of tiles move alike.
  const Index e = d.outer();
  std::vector<TileTensor> runs;
  for (Index o = 0; o < e;) {
    const Index source = (o + r) % e, places = (o + r) / e % d.tile;
    const Index run = std::min(e - o, e - source);
    TileTensor moved = tiles_of(a, a.shape().with_dim(dim, d.in_blocks(run * d.tile)), dim, source);
    if (places != 0)
      moved = TileTensor(a.session(), moved.shape(),
                         a.session()->rotate(moved.view(), places * a.shape().slot_stride(dim)));
    runs.push_back(std::move(moved));
    o += run;
  }
  TileTensor joined = runs[0];
  for (std::size_t i = 1; i < runs.size(); ++i) joined = concat(joined, runs[i], dim);
  return TileTensor(a.session(), a.shape(), joined.view());
}

}  // namespace tacit::tensor
