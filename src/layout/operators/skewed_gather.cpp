#include "layout/operators/skewed_gather.h"

#include <algorithm>
#include <utility>

#include "layout/operator_writer.h"
#include "layout/operators/check.h"

namespace tacit::layout {

namespace {

// A sum of turns over all dimensions (kMaxRank) fits 64 bits.
constexpr Index kMostTurns = Index{1} << 56;

}  // namespace

SkewedGather::SkewedGather(Shape in, Shape out, Places places)
    : LinearOperator(std::move(in), std::move(out)), places_(std::move(places)) {
  const char* const name = "skewed gather";
  const Shape& shape = out_shape();
  const Index count = element_count(in_shape());
  require(places_.strides.size() == shape.size() && places_.turns.size() == shape.size(), name,
          "one stride and one turn per dimension of the result");
  require(places_.extent >= 1 && places_.extent <= count && places_.stride >= 0 &&
              (places_.extent == 1 || places_.stride <= (count - 1) / (places_.extent - 1)),
          name, "the turning coordinate leaves the input");
  const auto product_fits = [](Index factor, Index extent, Index most) {
    return factor == 0 || extent - 1 <= most / factor;
  };
  Index last = places_.stride * (places_.extent - 1);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    require(places_.strides[d] >= 0 && product_fits(places_.strides[d], shape[d], count) && places_.turns[d] >= 0 &&
                product_fits(places_.turns[d], shape[d], kMostTurns),
            name, "a stride or a turn is outside the input");
    last += places_.strides[d] * (shape[d] - 1);
  }
  require(last < count, name, "a source lies outside the input");
}

Index SkewedGather::source(Index row) const {
  const Shape& shape = out_shape();
  Index place = 0, turned = 0;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const Index at = row % shape[d];
    row /= shape[d];
    place += places_.strides[d] * at;
    turned += places_.turns[d] * at;
  }
  return place + places_.stride * (turned % places_.extent);
}

void SkewedGather::apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  const Index rows = element_count(out_shape());
  for (Index row = 0; row < rows; ++row) {
    const double* const from = in.data() + static_cast<std::size_t>(source(row)) * lanes;
    double* const to = out.data() + static_cast<std::size_t>(row) * lanes;
    for (std::size_t i = 0; i < lanes; ++i) to[i] += from[i];
  }
}

void SkewedGather::describe(OperatorWriter& out) const {
  out.head(OperatorKind::skewed_gather, *this);
  out.to.compact_indices(places_.strides);
  out.to.compact_indices(places_.turns);
  out.to.i64(places_.extent);
  out.to.i64(places_.stride);
}

std::shared_ptr<const LinearOperator> SkewedGather::equal_part(Index count) const {
  Shape in = in_shape(), out = out_shape();
  if (out.front() % count != 0 || in.front() % count != 0 || places_.turns.front() != 0) return nullptr;
  out.front() /= count;
  in.front() /= count;
  const Index read = element_count(in);
  if (places_.strides.front() * out.front() != read) return nullptr;
  Index last = places_.stride * (places_.extent - 1);
  for (std::size_t d = 0; d < out.size(); ++d) last += places_.strides[d] * (out[d] - 1);
  return last < read ? std::make_shared<SkewedGather>(std::move(in), std::move(out), places_) : nullptr;
}

}  // namespace tacit::layout
