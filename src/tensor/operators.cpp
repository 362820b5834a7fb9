#include "tensor/operators.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/error.h"
#include "tensor/broadcast.h"

namespace tacit::tensor {
namespace {

using layout::TileDim;

constexpr int kMostHoist = 6;

void check_hoist(int hoist) {
  if (hoist < 1 || hoist > kMostHoist)
    base::refuse("hoist is {}, outside 1 to {}: places are folded 2^hoist at a time", hoist, kMostHoist);
}

/// a plus itself rotated by stride * direction * 1, 2, …: from sums over (or copies in) `from` places to `to`.
ArrayPtr fold(Session& session, ArrayPtr array, Index from, Index to, std::int64_t stride, int hoist) {
  while (from < to) {
    const Index radix = std::min(Index{1} << hoist, to / from);
    std::vector<std::int64_t> steps;
    for (Index k = 1; k < radix; ++k) steps.push_back(k * from * stride);
    array = session.rotate_sum(View::whole(std::move(array)), steps);
    from *= radix;
  }
  return array;
}

/// The operand ready to meet the other: a pending replication is completed where the other has more values.
TileTensor ready(const TileTensor& a, const TileShape& other) {
  const int dim = a.pending_dim();
  return dim >= 0 && a.shape().rank() == other.rank() && other.dim(dim).size > 1 ? replicate(a, dim) : a;
}

struct Pair {
  TileTensor a, b;
};

Pair aligned(const TileTensor& a, const TileTensor& b, const char* operation) {
  check_same_reading(a.session(), b.session(), operation);
  Pair pair{ready(a, b.shape()), ready(b, a.shape())};
  const int level = std::min(pair.a.level(), pair.b.level());
  return {lowered(pair.a, level), lowered(pair.b, level)};
}

template <class Operation>
TileTensor elementwise(const TileTensor& left, const TileTensor& right, Mixing mixing, const char* name,
                       const Operation& operation) {
  const auto [a, b] = aligned(left, right, name);
  TileShape shape = broadcast_shape(a.shape(), b.shape(), mixing, name);
  ArrayPtr array = operation(*a.session(), along(a, shape), along(b, shape));
  return TileTensor(a.session(), std::move(shape), std::move(array));
}

/// The plaintext side of a product that is zero wherever the result is unused.
PlainTensor covering(const TileTensor& a, const PlainTensor& b) {
  if (a.shape().rank() != b.shape().rank()) return b;
  std::vector<TileDim> dims = b.shape().dims();
  for (int i = 0; i < a.shape().rank(); ++i) {
    const TileDim& unknown = a.shape().dim(i);
    TileDim& plain = dims[static_cast<std::size_t>(i)];
    const bool spills = unknown.size == 1 ? plain.copies > unknown.copies : plain.replicated();
    if (!unknown.unknown || !spills || plain.tile != unknown.tile) continue;
    plain.size = unknown.size;
    plain.copies = unknown.copies;
    plain.interleaved = unknown.interleaved;
    plain.interleaved_outer = unknown.interleaved_outer;
  }
  return b.expanded(dims);
}

View plain_along(const TileShape& plain, ArrayPtr array, const TileShape& result, int last = -1) {
  return along(TileTensor(nullptr, plain, std::move(array)), result, last);
}

struct PlainProduct {
  TileTensor a;
  PlainTensor b;
  TileShape shape;
};

PlainProduct plain_product(const TileTensor& left, const PlainTensor& right, const char* name) {
  check_same_reading(left.session(), right.session(), name);
  TileTensor a = ready(left, right.shape());
  check_level(a, name);
  PlainTensor b = covering(a, right);
  TileShape shape = broadcast_shape(a.shape(), b.shape(), Mixing::product, name);
  return {std::move(a), std::move(b), std::move(shape)};
}

/// Folds the places of a dimension of several values whose tiles have been added up.
TileTensor fold_places(const SessionPtr& session, const TileShape& shape, ArrayPtr array, int dim,
                       FoldOptions options) {
  const TileDim& summed = shape.dim(dim);
  const Index places = options.all_places ? summed.tile : layout::next_power_of_two(summed.used_places());
  array = fold(*session, std::move(array), 1, places, shape.slot_stride(dim), options.hoist);
  TileDim one = summed.in_blocks(1);
  const bool leads = shape.leads(dim), complete = leads && places == summed.tile;
  one.copies = complete ? summed.tile : 1;
  one.unknown = !complete && places > 1;
  TileTensor result(session, shape.with_dim(dim, std::move(one)), std::move(array));
  return leads && !complete ? result.with_pending(dim, places) : result;
}

void check_summable(const TileShape& shape, int dim, const char* operation) {
  check_dim(shape, dim, operation);
  if (shape.dim(dim).unknown)
    base::refuse("{}: {} of {} has unknowns, which would reach the sum; clear them first", operation,
                 dim_text(shape, dim), shape.to_string());
}

void check_replicable(const TileShape& shape, int dim) {
  const TileDim& one = shape.dim(dim);
  if (one.size != 1)
    base::refuse("replicate: {} of {} has size {}, and only one value can be replicated; sum over it first",
                 dim_text(shape, dim), shape.to_string(), one.size);
  for (int i = 0; i <= dim; ++i) {
    if (!shape.dim(i).unknown || (i < dim && shape.leads(dim))) continue;
    base::refuse("replicate: the unknowns of {} of {} would spread; clear them first", dim_text(shape, i),
                 shape.to_string());
  }
}

}  // namespace

TileTensor add(const TileTensor& a, const TileTensor& b) {
  return elementwise(a, b, Mixing::sum, "add", std::mem_fn(&Session::add));
}

TileTensor subtract(const TileTensor& a, const TileTensor& b) {
  return elementwise(a, b, Mixing::sum, "subtract", std::mem_fn(&Session::subtract));
}

TileTensor multiply(const TileTensor& left, const TileTensor& right) {
  return elementwise(left, right, Mixing::product, "multiply", [&](auto& session, const View& x, const View& y) {
    check_level(left.level() < right.level() ? left : right, "multiply");
    return session.multiply_sum(x, y, 1);
  });
}

TileTensor add(const TileTensor& left, const PlainTensor& b) {
  check_same_reading(left.session(), b.session(), "add");
  const TileTensor a = ready(left, b.shape());
  TileShape shape = broadcast_shape(a.shape(), b.shape(), Mixing::sum, "add");
  ArrayPtr array = a.session()->add_plain(along(a, shape), plain_along(b.shape(), b.addend(a.level()), shape));
  return TileTensor(a.session(), std::move(shape), std::move(array));
}

TileTensor multiply(const TileTensor& left, const PlainTensor& right) {
  auto [a, b, shape] = plain_product(left, right, "multiply");
  ArrayPtr array =
      a.session()->multiply_plain_sum(along(a, shape), plain_along(b.shape(), b.factor(a.level()), shape), 1);
  return TileTensor(a.session(), std::move(shape), std::move(array));
}

TileTensor add(const TileTensor& a, double addend) {
  Dense values{a.shape().sizes(),
               std::vector<double>(static_cast<std::size_t>(layout::element_count(a.shape().sizes())), addend)};
  return add(a, PlainTensor(a.session(), a.shape().without_unknowns(), std::move(values)));
}

TileTensor multiply(const TileTensor& a, double factor) {
  check_level(a, "multiply");
  const TileShape shape = a.shape().without_unknowns();
  const SlotsOf slots = [&](Index tile) {
    std::vector<double> mask = shape.mask(tile);
    for (double& value : mask) value *= factor;
    return mask;
  };
  const ArrayPtr factors = a.session()->encode_factor(shape.tiles(), slots, a.level());
  return TileTensor(a.session(), shape, a.session()->multiply_plain_sum(along(a, shape), View::whole(factors), 1));
}

TileTensor sum(const TileTensor& a, int dim, FoldOptions options) {
  check_hoist(options.hoist);
  check_dim(a.shape(), dim, "sum");
  if (a.shape().dim(dim).size == 1) return a;
  check_summable(a.shape(), dim, "sum");
  ArrayPtr array = a.session()->sum(along(a, a.shape(), dim), a.shape().dim(dim).outer());
  return fold_places(a.session(), a.shape(), std::move(array), dim, options);
}

TileTensor multiply_sum(const TileTensor& left, const TileTensor& right, int dim, FoldOptions options) {
  check_hoist(options.hoist);
  const auto [a, b] = aligned(left, right, "multiply_sum");
  const TileShape shape = broadcast_shape(a.shape(), b.shape(), Mixing::product, "multiply_sum");
  check_summable(shape, dim, "multiply_sum");
  check_level(a, "multiply_sum");
  if (shape.dim(dim).size == 1) return multiply(a, b);
  ArrayPtr array = a.session()->multiply_sum(along(a, shape, dim), along(b, shape, dim), shape.dim(dim).outer());
  return fold_places(a.session(), shape, std::move(array), dim, options);
}

TileTensor multiply_sum(const TileTensor& left, const PlainTensor& right, int dim, FoldOptions options) {
  check_hoist(options.hoist);
  auto [a, b, shape] = plain_product(left, right, "multiply_sum");
  check_dim(shape, dim, "multiply_sum");
  if (shape.dim(dim).size == 1) return multiply(a, b);
  ArrayPtr array = a.session()->multiply_plain_sum(
      along(a, shape, dim), plain_along(b.shape(), b.factor(a.level()), shape, dim), shape.dim(dim).outer());
  return fold_places(a.session(), shape, std::move(array), dim, options);
}

TileTensor clear_unknowns(const TileTensor& a) { return a.shape().has_unknowns() ? multiply(a, 1.0) : a; }

TileTensor replicate(const TileTensor& a, int dim, FoldOptions options) {
  check_hoist(options.hoist);
  check_dim(a.shape(), dim, "replicate");
  const TileDim& one = a.shape().dim(dim);
  if (one.replicated()) return a;
  const std::int64_t stride = a.shape().slot_stride(dim);
  const bool pending = a.pending_dim() == dim;
  if (!pending) check_replicable(a.shape(), dim);
  ArrayPtr array = a.session()->gather({{along(a, a.shape())}});
  array = fold(*a.session(), std::move(array), pending ? a.pending_places() : one.copies, one.tile,
               pending ? stride : -stride, options.hoist);
  return TileTensor(a.session(), a.shape().with_replicated(dim), std::move(array));
}

}  // namespace tacit::tensor
