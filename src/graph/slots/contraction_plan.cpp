#include "graph/slots/contraction_plan.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "graph/slots/put_digit.h"
#include "graph/slots/shifted_contraction.h"
#include "layout/operators/skewed_gather.h"

namespace tacit::graph::passes {
namespace {

using layout::Digit;
using layout::Index;
using layout::Layout;
using layout::SkewedGather;

// With at most this many ciphertexts of products, every copy of an operand is made from the operand itself.
constexpr Index kFewTerms = 2;
// A rotation of the left operand has two diagonals, since its rows begin again within a ciphertext. A rotation of the
// right operand has one, if its rows fill a ciphertext.
constexpr Index kLeftDiagonals = 2, kRightDiagonals = 1;

// One dimension of a result. `inside` elements of it are within a ciphertext, a power of two.
struct Side {
  Index extent = 1;  // of a block
  Index blocks = 1;
  Index inside = 1;

  Index rest() const { return pieces(extent, inside); }

  // Splits a dimension into blocks of one ciphertext each, if they are equal. All blocks then multiply one copy of the
  // operand on the other side.
  static Side in_blocks(Index whole, Index inside) {
    if (whole <= inside || whole % inside != 0) return {whole, 1, inside};
    return {inside, whole / inside, inside};
  }
};

// Collects the dimensions of a tensor, the places that they are read from, and their digits in a layout.
class Axes {
 public:
  // Returns the dimension.
  int add(Index extent, Index stride, Index turn) {
    shape_.push_back(extent);
    places_.strides.push_back(stride);
    places_.turns.push_back(turn);
    return static_cast<int>(shape_.size()) - 1;
  }
  void across(int dim, Index extent, Index stride = 1) { put_digit(across_, dim, extent, stride); }
  void within(int dim, Index extent) { put_digit(within_, dim, extent); }
  // Adds the digit of a dimension across ciphertexts. `inside` elements of it are within a ciphertext.
  void rest(int dim, Index extent, Index inside) { across(dim, pieces(extent, inside), inside); }

  const Shape& shape() const { return shape_; }
  Layout layout() const { return {shape_, across_, within_, {}}; }
  // Returns the operator that reads the turning coordinate of an input at `stride`.
  layout::LinearOperatorPtr gather(const Shape& from, Index extent, Index stride) const {
    SkewedGather::Places places = places_;
    places.extent = extent;
    places.stride = extent > 1 ? stride : 0;
    return std::make_shared<SkewedGather>(from, shape_, std::move(places));
  }

 private:
  Shape shape_;
  SkewedGather::Places places_;
  std::vector<Digit> across_, within_;
};

class ContractionPlanner {
 public:
  ContractionPlanner(const Contraction& contraction, Index slots, Index rows_within) : c_(contraction) {
    Index free = slots;
    const auto take = [&](Index extent) {
      const Index taken = std::min(layout::next_power_of_two(extent), free);
      free /= taken;
      return taken;
    };
    rows_ = Side::in_blocks(c_.rows, take(std::min(c_.rows, rows_within)));
    columns_ = Side::in_blocks(c_.columns, take(c_.columns));
    matrices_ = {c_.stack, 1, take(c_.stack)};
    samples_ = {c_.samples, 1, take(c_.samples)};
    while (2 * parts_ <= free && c_.inner % (2 * parts_) == 0) parts_ *= 2;
    copies_ = free / parts_;
    terms_ = c_.inner / parts_;
  }

  // Returns the number of diagonals of the copies of both operands.
  Index diagonals() const {
    const Index stacked = samples_.rest() * matrices_.rest() * terms_;
    return stacked * (kLeftDiagonals * rows_.blocks * rows_.rest() * pieces(c_.inner, columns_.inside) +
                      kRightDiagonals * columns_.blocks * columns_.rest() * pieces(c_.inner, rows_.inside));
  }
  Index terms() const { return terms_; }

  // The result has its columns before its rows with `columns_first`.
  ContractionPlan run(const Shape& left, const Shape& right, const Shape& result, bool columns_first) const {
    ContractionPlan plan;
    plan.left = operand(left, true);
    plan.right = operand(right, false);
    plan.swapped = columns_first;
    plan.result = in_shape(result, false, columns_first);
    plan.sums.terms = terms_;
    const Index place = samples_.inside * matrices_.inside * rows_.inside * columns_.inside;
    for (Index parts = parts_ / 2; parts >= 1; parts /= 2) plan.sums.steps.push_back(parts * place);
    // Blocks of the result have the operand of their row, and that of their column.
    const Index rows = rows_.rest(), columns = columns_.rest(), tile = rows * columns * terms_;
    plan.sums.pairs = {
        .extents = {samples_.rest() * matrices_.rest(), rows_.blocks, rows, columns_.blocks, columns, terms_},
        .left_strides = {rows_.blocks * tile, tile, columns * terms_, 0, terms_, 1},
        .right_strides = {columns_.blocks * tile, 0, columns * terms_, tile, terms_, 1},
        .layout = in_shape({c_.samples, c_.stack, c_.rows, c_.columns, parts_, terms_}, true, false)};
    return plan;
  }

 private:
  // Adds the dimensions of samples and of matrices. They come first, so that equal matrices share their diagonals.
  std::array<int, 2> add_stack(Axes& axes, Index sample, Index matrix) const {
    const int samples = c_.samples > 1 ? axes.add(c_.samples, sample, 0) : 0;
    const int matrices = c_.stack > 1 ? axes.add(c_.stack, matrix, 0) : 0;
    axes.rest(samples, c_.samples, samples_.inside);
    axes.rest(matrices, c_.stack, matrices_.inside);
    return {samples, matrices};
  }

  // Returns the layout of the result, or of the products, whose last dimensions are part and term. The other dimensions
  // above 1 are samples, matrices, rows and columns, or columns and rows.
  Layout in_shape(const Shape& shape, bool products, bool columns_first) const {
    struct Placed {
      const Side* side;
      int dim = 0;
    };
    std::array<Placed, 4> places{{{&samples_}, {&matrices_}, {&rows_}, {&columns_}}};
    int next = 0;
    const auto name = [&](Placed& place) {
      if (place.side->extent * place.side->blocks == 1) return;
      while (shape[static_cast<std::size_t>(next)] == 1) ++next;
      place.dim = next++;
    };
    name(places[0]);
    name(places[1]);
    name(places[columns_first ? 3 : 2]);
    name(places[columns_first ? 2 : 3]);
    std::vector<Digit> across, within;
    const int part = static_cast<int>(shape.size()) - 2;
    put_digit(within, layout::kReplica, products ? copies_ : copies_ * parts_);
    if (products) put_digit(within, part, parts_);
    for (const auto& [side, dim] : places) {
      put_digit(across, dim, side->blocks, side->extent);
      put_digit(across, dim, side->rest(), side->inside);
      put_digit(within, dim, side->inside);
    }
    if (products) put_digit(across, part + 1, terms_);
    return {shape, std::move(across), std::move(within), {}};
  }

  ContractionPlan::Operand operand(const Shape& shape, bool left) const {
    const Contraction::Steps& steps = left ? c_.left_steps : c_.right_steps;
    const Index along_inner = left ? steps.column : steps.row;
    if (c_.expansions == 1) {
      const Axes products = products_of(left, {steps.sample, steps.matrix, 0, left ? steps.row : steps.column},
                                        {.part = terms_, .row = 1, .column = 1});
      return {nullptr, products.gather(shape, c_.inner, along_inner), {}, products.layout()};
    }
    const Axes skewed = skewed_of(left, steps);
    const Index part = left ? c_.rows * c_.inner : c_.inner * c_.columns, matrix = parts_ * part;
    const Axes products = products_of(left, {c_.stack * matrix, matrix, part, left ? c_.inner : 1},
                                      {.part = 0, .row = left ? 0 : 1, .column = left ? 1 : 0});
    return {skewed.gather(shape, c_.inner, along_inner),
            products.gather(skewed.shape(), c_.inner, left ? 1 : c_.columns), skewed.layout(), products.layout()};
  }

  struct Strides {
    Index sample, matrix, part, own;  // `own` is of the rows on the left, of the columns on the right
  };
  struct Turns {
    Index part, row, column;
  };
  // The dimensions are samples, matrices, part, term, blocks of the operand's own side, rows of a block, columns of a
  // block.
  Axes products_of(bool left, const Strides& strides, const Turns& turns) const {
    const Side& own = left ? rows_ : columns_;
    Axes axes;
    const auto [samples, matrices] = add_stack(axes, strides.sample, strides.matrix);
    const int part = axes.add(parts_, strides.part, turns.part), term = axes.add(terms_, 0, 1);
    const int blocks = axes.add(own.blocks, own.extent * strides.own, 0);
    const int row = axes.add(rows_.extent, left ? strides.own : 0, turns.row);
    const int column = axes.add(columns_.extent, left ? 0 : strides.own, turns.column);
    axes.across(blocks, own.blocks);
    axes.rest(row, rows_.extent, rows_.inside);
    axes.rest(column, columns_.extent, columns_.inside);
    axes.across(term, terms_);
    axes.within(layout::kReplica, copies_);
    axes.within(part, parts_);
    axes.within(samples, samples_.inside);
    axes.within(matrices, matrices_.inside);
    axes.within(row, rows_.inside);
    axes.within(column, columns_.inside);
    return axes;
  }

  // The dimensions are samples, matrices, part, and the operand's own: blocks of rows, rows of a block and inner on the
  // left; inner, blocks of columns and columns of a block on the right. The inner dimension takes the place that
  // columns or rows have in the result. It is copied where it is shorter.
  Axes skewed_of(bool left, const Contraction::Steps& steps) const {
    const Side& own = left ? rows_ : columns_;
    const Index place = left ? columns_.inside : rows_.inside, own_step = left ? steps.row : steps.column;
    const Index inside = std::min(layout::next_power_of_two(c_.inner), place);
    Axes axes;
    const auto [samples, matrices] = add_stack(axes, steps.sample, steps.matrix);
    const int part = axes.add(parts_, 0, terms_);
    int inner = left ? 0 : axes.add(c_.inner, 0, 1);
    const int blocks = axes.add(own.blocks, own.extent * own_step, 0), line = axes.add(own.extent, own_step, 1);
    if (left) inner = axes.add(c_.inner, 0, 1);
    axes.across(blocks, own.blocks);
    axes.rest(line, own.extent, own.inside);
    axes.rest(inner, c_.inner, inside);
    axes.within(layout::kReplica, copies_);
    axes.within(part, parts_);
    axes.within(samples, samples_.inside);
    axes.within(matrices, matrices_.inside);
    if (left) axes.within(line, rows_.inside);
    axes.within(layout::kReplica, place / inside);
    axes.within(inner, inside);
    if (!left) axes.within(line, columns_.inside);
    return axes;
  }

  const Contraction& c_;
  Side samples_, matrices_, rows_, columns_;
  Index parts_ = 1;   // copies of the result, each with another part of the sums
  Index copies_ = 1;  // of all parts
  Index terms_ = 1;   // ciphertexts that are summed
};

// Returns the planner whose block of a result, in one ciphertext, needs the fewest diagonals.
ContractionPlanner cheapest_planner(const Contraction& contraction, Index slots) {
  Index chosen = slots, least = ContractionPlanner(contraction, slots, slots).diagonals();
  for (Index rows = layout::next_power_of_two(contraction.rows) / 2; rows >= 1; rows /= 2)
    if (const Index diagonals = ContractionPlanner(contraction, slots, rows).diagonals(); diagonals < least) {
      least = diagonals;
      chosen = rows;
    }
  return {contraction, slots, chosen};
}

// Returns the product of the transposed operands in reverse order.
Contraction reversed(const Contraction& contraction) {
  const auto transposed = [](Contraction::Steps steps) {
    std::swap(steps.row, steps.column);
    return steps;
  };
  Contraction result = contraction;
  std::swap(result.rows, result.columns);
  result.left_steps = transposed(contraction.right_steps);
  result.right_steps = transposed(contraction.left_steps);
  return result;
}

}  // namespace

int expansions_of(const Contraction& contraction, Index slots) {
  if (is_shifted(contraction.form)) return shifted_expansions(contraction, slots);
  return cheapest_planner(contraction, slots).terms() <= kFewTerms ? 1 : 2;
}

bool can_take(const Contraction& contraction, Contraction::Form form, Index slots) {
  return !is_shifted(form) || can_shift(contraction, form, slots);
}

ContractionPlan plan_contraction(const Contraction& contraction, const Shape& left, const Shape& right,
                                 const Shape& result, Index slots) {
  if (is_shifted(contraction.form)) return plan_shifted(contraction, left, right, result, slots);
  if (contraction.form == Contraction::Form::rows_first)
    return cheapest_planner(contraction, slots).run(left, right, result, false);
  const Contraction planned = reversed(contraction);
  return cheapest_planner(planned, slots).run(right, left, result, true);
}

const ContractionPlan& ContractionPlans::of(const Contraction& contraction, const Shape& left, const Shape& right,
                                            const Shape& result, Index slots) {
  const Contraction& c = contraction;
  const auto& [lm, lr, lc, ls] = c.left_steps;
  const auto& [rm, rr, rc, rs] = c.right_steps;
  std::vector<Index> key{static_cast<Index>(c.form),
                         c.expansions,
                         c.stack,
                         c.rows,
                         c.inner,
                         c.columns,
                         c.samples,
                         slots,
                         lm,
                         lr,
                         lc,
                         ls,
                         rm,
                         rr,
                         rc,
                         rs};
  for (const Shape* shape : {&left, &right, &result}) {
    key.push_back(static_cast<Index>(shape->size()));
    key.insert(key.end(), shape->begin(), shape->end());
  }
  const auto [known, fresh] = plans_.try_emplace(std::move(key));
  if (fresh) known->second = plan_contraction(contraction, left, right, result, slots);
  return known->second;
}

}  // namespace tacit::graph::passes
