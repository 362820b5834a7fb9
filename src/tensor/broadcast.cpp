#include "tensor/broadcast.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace tacit::tensor {
namespace {

using layout::TileDim;

/// What an operand holds beyond the result's elements along one dimension.
enum class Beyond { zero, copies, unknown };

Beyond beyond(const TileDim& dim, const TileDim& result) {
  if (dim.unknown) return Beyond::unknown;
  return dim.size == 1 && (result.size > 1 || dim.copies > result.copies) ? Beyond::copies : Beyond::zero;
}

TileDim broadcast_dim(const TileDim& a, const TileDim& b) {
  TileDim result = a.size >= b.size ? a : b;
  if (result.name.empty()) result.name = a.name.empty() ? b.name : a.name;
  result.copies = std::min(a.copies, b.copies);  // several values have one each
  return result;
}

std::string way_out(const TileDim& dim) {
  return dim.unknown ? "clear its unknowns and replicate it, or sum it with all places" : "replicate it first";
}

void check_dims(const TileShape& a, const TileShape& b, int i, const char* operation) {
  const TileDim &x = a.dim(i), &y = b.dim(i);
  const auto refuse = [&](const std::string& why) {
    base::refuse("{}: {} and {}: {}: {}", operation, a.to_string(), b.to_string(), dim_text(a, i), why);
  };
  if (x.tile != y.tile) refuse(fmt::format("tile extents {} and {} differ; reshard one of them", x.tile, y.tile));
  if (x.size == y.size) {
    if (x.interleaved != y.interleaved || x.outer() != y.outer())
      refuse("one is woven otherwise than the other; reshard one of them");
    return;
  }
  if (x.size != 1 && y.size != 1) refuse(fmt::format("sizes {} and {} differ and neither is 1", x.size, y.size));
  const TileDim& one = x.size == 1 ? x : y;
  if (!one.replicated())
    refuse(fmt::format("its one value must be in all {} places to meet {} values; {}", one.tile,
                       std::max(x.size, y.size), way_out(one)));
}

}  // namespace

std::string dim_text(const TileShape& shape, int dim) {
  const std::string& name = shape.dim(dim).name;
  return name.empty() ? fmt::format("dimension {}", dim) : fmt::format("dimension {} '{}'", dim, name);
}

TileShape broadcast_shape(const TileShape& a, const TileShape& b, Mixing mixing, const char* operation) {
  if (a.rank() != b.rank())
    base::refuse("{}: {} has {} dimensions and {} has {}", operation, a.to_string(), a.rank(), b.to_string(), b.rank());
  std::vector<TileDim> dims;
  std::vector<std::size_t> a_covered, b_covered;
  for (int i = 0; i < a.rank(); ++i) {
    check_dims(a, b, i, operation);
    TileDim dim = broadcast_dim(a.dim(i), b.dim(i));
    const Beyond x = beyond(a.dim(i), dim), y = beyond(b.dim(i), dim);
    const bool zero =
        mixing == Mixing::product ? x == Beyond::zero || y == Beyond::zero : x == Beyond::zero && y == Beyond::zero;
    dim.unknown = dim.has_unused() && !zero;
    if (!dim.unknown && x == Beyond::unknown) a_covered.push_back(dims.size());
    if (!dim.unknown && y == Beyond::unknown) b_covered.push_back(dims.size());
    dims.push_back(std::move(dim));
  }
  // Zeros of one side cover the other's unknowns only while they are zeros: not where both sides are out of range, each
  // in a dimension of unknowns of its own. Such a slot is unknown by either dimension: the fewer are named.
  for (const std::size_t i : a_covered.size() < b_covered.size() ? a_covered : b_covered) dims[i].unknown = true;
  return TileShape(std::move(dims));
}

View along(const TileTensor& operand, const TileShape& result, int last) {
  const View& view = operand.view();
  View grid;
  grid.array = view.array;
  grid.offset = view.offset;
  const auto add = [&](int i) {
    const Index extent = result.dim(i).outer();
    grid.add_dimension(
        extent, operand.shape().dim(i).outer() == 1 && extent > 1 ? 0 : view.strides[static_cast<std::size_t>(i)]);
  };
  for (int i = 0; i < result.rank(); ++i)
    if (i != last) add(i);
  if (last >= 0) add(last);
  return grid;
}

void check_dim(const TileShape& shape, int dim, const char* operation) {
  if (dim < 0 || dim >= shape.rank())
    base::refuse("{}: {} has no dimension {}; they are 0 to {}", operation, shape.to_string(), dim, shape.rank() - 1);
}

void check_same_reading(const SessionPtr& a, const SessionPtr& b, const char* operation) {
  if (a != b) base::refuse("{}: the operands belong to different sessions; make both with one", operation);
}

void check_level(const TileTensor& a, const char* operation) {
  if (a.level() < 1)
    base::refuse("{}: no level is left to spend on {}; encrypt at a higher level or ask for a greater depth", operation,
                 a.shape().to_string());
}

TileTensor lowered(const TileTensor& a, int level) {
  if (a.level() == level) return a;
  const TileTensor result(a.session(), a.shape(), a.session()->drop(along(a, a.shape()), level));
  return result.with_pending(a.pending_dim(), a.pending_places());
}

}  // namespace tacit::tensor
