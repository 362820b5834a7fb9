#include "graph/quant/write_out_contractions.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "layout/operators/matrix.h"
#include "layout/operators/skewed_gather.h"

namespace tacit::graph::quant {
namespace {

using passes::Affine;
using passes::Contraction;
using passes::Network;
using passes::Value;
using passes::ValueId;

constexpr std::int64_t kMostProducts = std::int64_t{1} << 16;

// Adds the products and sums of a contraction whose operands have their names in `to`. Returns the sums.
ValueId add_written_out(Network& to, const Value& value) {
  const auto& c = std::get<Contraction>(value.operation);
  const Shape shape{c.stack, c.rows, c.columns, c.inner};
  if (const std::int64_t products = layout::element_count(shape); products > kMostProducts)
    base::refuse(
        "node '{}' ({}) multiplies two encrypted matrices, which takes {} products of integers; at most {} are "
        "computed with tables: use --scheme ckks, or smaller matrices",
        value.node, value.op, products, kMostProducts);
  const auto copied = [&](ValueId operand, std::vector<std::int64_t> strides) {
    const layout::SkewedGather::Places places{.strides = std::move(strides), .turns = {0, 0, 0, 0}};
    const Shape from = to.values[operand].shape;
    return to.add({Affine{{{operand, std::make_shared<layout::SkewedGather>(from, shape, places)}}},
                   shape,
                   value.node,
                   value.op,
                   {}});
  };
  const ValueId left = copied(c.left, {c.left_steps.matrix, c.left_steps.row, 0, c.left_steps.column}),
                right = copied(c.right, {c.right_steps.matrix, 0, c.right_steps.column, c.right_steps.row});
  const ValueId products = to.add({passes::Product{left, right}, shape, value.node, value.op, {}});
  Value result = value;
  result.operation =
      Affine{{{products, std::make_shared<layout::Reduction>(shape, value.shape, std::vector<layout::Index>{3}, 1.0)}}};
  return to.add(std::move(result));
}

}  // namespace

Network write_out_contractions(const Network& network) {
  Network result;
  std::vector<ValueId> names;
  for (const Value& original : network.values) {
    Value value = renamed(original, names);
    names.push_back(std::holds_alternative<Contraction>(value.operation) ? add_written_out(result, value)
                                                                         : result.add(std::move(value)));
  }
  for (const ValueId id : network.outputs) result.outputs.push_back(names[id]);
  return result;
}

}  // namespace tacit::graph::quant
