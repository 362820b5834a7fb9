#include "graph/slots/shifted_contraction.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "graph/slots/put_digit.h"
#include "layout/operators/movement.h"
#include "layout/operators/skewed_gather.h"

namespace tacit::graph::passes {
namespace {

using layout::Digit;
using layout::Index;
using layout::Layout;
using layout::SkewedGather;

// From this number of ciphertexts of distances on, a step that brings them together saves more than its level costs.
constexpr Index kManyTerms = 8;

// A tensor with the places that its elements are read from.
struct SkewedRead {
  Shape shape{};
  SkewedGather::Places places{};

  int add(Index extent, Index stride, Index turn = 0) {
    shape.push_back(extent);
    places.strides.push_back(stride);
    places.turns.push_back(turn);
    return static_cast<int>(shape.size()) - 1;
  }
  // Returns the operator that reads it, with a turning coordinate of this extent at this distance.
  layout::LinearOperatorPtr from(const Shape& in, Index extent = 1, Index distance = 0) const {
    SkewedGather::Places whole = places;
    whole.extent = extent;
    whole.stride = extent > 1 ? distance : 0;
    return std::make_shared<SkewedGather>(in, shape, std::move(whole));
  }
};

class ShiftedPlanner {
 public:
  // `middle` is the number of values between the matrices and the rows on slots, and `turning` the number of distances.
  ShiftedPlanner(const Contraction& contraction, Index slots, Index middle, Index turning)
      : c_(contraction),
        rows_inside_(layout::next_power_of_two(c_.rows)),
        middle_inside_(layout::next_power_of_two(middle)) {
    Index free = slots / (rows_inside_ * middle_inside_);
    const auto take = [&](Index extent) {
      const Index taken = std::min(layout::next_power_of_two(extent), free);
      free /= taken;
      return taken;
    };
    matrices_inside_ = take(c_.stack);
    samples_inside_ = take(c_.samples);
    parts_ = take(turning);
    terms_ = layout::next_power_of_two(turning) / parts_;
    copies_ = free;
  }

  ContractionPlan columns(const Shape& left, const Shape& right, const Shape& result) const {
    ContractionPlan plan{};
    const Contraction::Steps &of_left = c_.left_steps, &of_right = c_.right_steps;
    // The left operand is the same in all parts and terms.
    SkewedRead lefts;
    const Dims in_left = add_stack(lefts, of_left);
    const int k = lefts.add(c_.inner, of_left.column), i = lefts.add(c_.rows, of_left.row);
    plan.left = {nullptr, lefts.from(left), {}, in_place(lefts.shape, in_left, copies_ * parts_, -1, k, i)};
    SkewedRead rights;
    const Dims in_right = add_stack(rights, of_right);
    const int k_right = rights.add(c_.inner, of_right.row), i_right = rights.add(c_.rows, 0, 1);
    const int part = rights.add(parts_, 0, terms_), term = rights.add(terms_, 0, 1);
    Layout copies = in_place(rights.shape, in_right, copies_, part, k_right, i_right, term);
    plan.right = {nullptr, rights.from(right, c_.columns, of_right.column), {}, copies};
    plan.sums.pairs = {.extents = {stacks(), terms_},
                       .left_strides = {1, 0},
                       .right_strides = {terms_, 1},
                       .layout = with_one(copies)};
    for (Index half = middle_inside_ / 2; half >= 1; half /= 2) plan.sums.steps.push_back(half * rows_inside_);
    const Dims dims = dims_of(result);
    plan.result = shifted(result, dims);
    plan.unshift = unshifted(result, dims);
    if (collects()) {
      plan.collect = std::make_shared<layout::Identity>(result);
      plan.collected = beside(result, dims, false).filled(layout::Fill::unknown);
    }
    for (const bool copied : {false, true}) plan.offered.push_back(beside(result, dims, copied));
    return plan;
  }

  // True if the terms are brought together before they are moved to their columns. One step for both has a diagonal per
  // pair of terms.
  bool collects() const { return terms_ >= kManyTerms; }

  ContractionPlan inner(const Shape& left, const Shape& right, const Shape& result) const {
    ContractionPlan plan{};
    const Contraction::Steps &of_left = c_.left_steps, &of_right = c_.right_steps;
    // The first step moves the inner index to its distance from the row. Distances beyond the inner extent are zero.
    const Index distances = parts_ * terms_;
    Shape shape;
    for (const Index extent : {c_.samples, c_.stack})
      if (extent > 1) shape.push_back(extent);
    shape.insert(shape.end(), {c_.rows, distances});
    std::vector<Index> sources;
    for (Index b = 0; b < c_.samples; ++b)
      for (Index s = 0; s < c_.stack; ++s)
        for (Index row = 0; row < c_.rows; ++row)
          for (Index d = 0; d < distances; ++d)
            sources.push_back(d >= c_.inner ? layout::Gather::kNothing
                                            : b * of_left.sample + s * of_left.matrix + row * of_left.row +
                                                  (row + d) % c_.inner * of_left.column);
    plan.left.skew = std::make_shared<layout::Gather>(left, shape, std::move(sources), std::vector<double>{});
    plan.left.skewed = beside(shape, dims_of(shape), copies_are_cheaper());
    SkewedRead lefts;
    const Index matrix = c_.rows * distances;
    const Dims in_left = add_stack(lefts, {.matrix = matrix, .row = 0, .column = 0, .sample = c_.stack * matrix});
    const int j = lefts.add(c_.columns, 0), i_left = lefts.add(c_.rows, distances);
    const int part = lefts.add(parts_, terms_), term = lefts.add(terms_, 1);
    plan.left.spread = lefts.from(shape);
    plan.left.copies = in_place(lefts.shape, in_left, copies_, part, j, i_left, term);
    SkewedRead rights;
    const Dims in_right = add_stack(rights, of_right);
    const int j_right = rights.add(c_.columns, of_right.column), i_right = rights.add(c_.rows, 0, 1);
    const int part_right = rights.add(parts_, 0, terms_), term_right = rights.add(terms_, 0, 1);
    plan.right = {nullptr,
                  rights.from(right, c_.inner, of_right.row),
                  {},
                  in_place(rights.shape, in_right, copies_, part_right, j_right, i_right, term_right)};
    plan.sums.terms = terms_;
    plan.sums.pairs = {.extents = {stacks(), terms_},
                       .left_strides = {terms_, 1},
                       .right_strides = {terms_, 1},
                       .layout = plan.right.copies};
    const Index place = samples_inside_ * matrices_inside_ * middle_inside_ * rows_inside_;
    for (Index half = parts_ / 2; half >= 1; half /= 2) plan.sums.steps.push_back(half * place);
    const Dims dims = dims_of(result);
    plan.result = in_place(result, dims, copies_ * parts_, -1, dims.columns, dims.rows);
    return plan;
  }

 private:
  // The dimensions of a tensor. Those of extent 1 have no digits.
  struct Dims {
    int samples = 0, matrices = 0, rows = 0, columns = 0;
  };

  Index stacks() const { return pieces(c_.samples, samples_inside_) * pieces(c_.stack, matrices_inside_); }

  Dims add_stack(SkewedRead& read, const Contraction::Steps& steps) const {
    Dims dims;
    if (c_.samples > 1) dims.samples = read.add(c_.samples, steps.sample);
    if (c_.stack > 1) dims.matrices = read.add(c_.stack, steps.matrix);
    return dims;
  }

  // Returns the dimensions of a tensor of samples, matrices, rows and columns. Others have extent 1.
  Dims dims_of(const Shape& result) const {
    Dims dims;
    int next = 0;
    const auto name = [&](Index extent, int& dim) {
      if (extent == 1) return;
      while (result[static_cast<std::size_t>(next)] == 1) ++next;
      dim = next++;
    };
    name(c_.samples, dims.samples);
    name(c_.stack, dims.matrices);
    name(c_.rows, dims.rows);
    name(c_.columns, dims.columns);
    return dims;
  }

  std::vector<Digit> stacks_across(const Dims& dims) const {
    std::vector<Digit> across;
    put_digit(across, dims.samples, pieces(c_.samples, samples_inside_), samples_inside_);
    put_digit(across, dims.matrices, pieces(c_.stack, matrices_inside_), matrices_inside_);
    return across;
  }

  // Returns the digits within before those in the middle.
  std::vector<Digit> outer(const Dims& dims, Index copies, int part, Index part_stride) const {
    std::vector<Digit> within;
    put_digit(within, layout::kReplica, copies);
    if (part >= 0) put_digit(within, part, parts_, part_stride);
    put_digit(within, dims.samples, samples_inside_);
    put_digit(within, dims.matrices, matrices_inside_);
    return within;
  }

  // Returns the places (copies, part, samples, matrices, middle, rows), with a ciphertext per term.
  Layout in_place(const Shape& shape, const Dims& dims, Index copies, int part, int middle, int row,
                  int term = -1) const {
    std::vector<Digit> across = stacks_across(dims);
    if (term >= 0) put_digit(across, term, terms_);
    std::vector<Digit> within = outer(dims, copies, part, 1);
    put_digit(within, middle, middle_inside_);
    put_digit(within, row, rows_inside_);
    return {shape, std::move(across), std::move(within), {}};
  }

  // Adds a last dimension of one term.
  static Layout with_one(const Layout& layout) {
    Shape shape = layout.shape();
    shape.push_back(1);
    return {std::move(shape), layout.across(), layout.within(), {}};
  }

  // Returns the layout of result'. The distance is part, term, and unknown numbers in the middle.
  Layout shifted(const Shape& shape, const Dims& dims) const {
    std::vector<Digit> across = stacks_across(dims);
    put_digit(across, dims.columns, terms_);
    std::vector<Digit> within = outer(dims, copies_, dims.columns, terms_);
    put_digit(within, dims.columns, middle_inside_, parts_ * terms_);
    put_digit(within, dims.rows, rows_inside_);
    return Layout(shape, std::move(across), std::move(within), {}).filled(layout::Fill::unknown);
  }

  // Returns a layout with distances, or columns, where the products have parts and, in the middle, terms. Beside them
  // are copies, or a gap.
  Layout beside(const Shape& shape, const Dims& dims, bool copied) const {
    const Index inside = std::min(terms_, middle_inside_), free = middle_inside_ / inside;
    std::vector<Digit> across = stacks_across(dims);
    put_digit(across, dims.columns, terms_ / inside, inside);
    std::vector<Digit> within = outer(dims, copies_, dims.columns, terms_);
    if (copied)
      put_digit(within, layout::kReplica, free);
    else
      put_digit(within, dims.columns, free, parts_ * terms_);
    put_digit(within, dims.columns, inside);
    put_digit(within, dims.rows, rows_inside_);
    return {shape, std::move(across), std::move(within), {}};
  }

  // True if copies beside the terms make the two steps of the left operand have fewer diagonals than a gap.
  bool copies_are_cheaper() const {
    const Index inside = std::min(terms_, middle_inside_), free = middle_inside_ / inside;
    return free * 2 * rows_inside_ + terms_ * 2 * inside < 2 * rows_inside_ + terms_ * middle_inside_;
  }

  // Returns the operator that reads column j of row i at the distance j - i.
  layout::LinearOperatorPtr unshifted(const Shape& shape, const Dims& dims) const {
    SkewedGather::Places places{std::vector<Index>(shape.size(), 0), std::vector<Index>(shape.size(), 0), c_.columns,
                                1};
    Index stride = 1;
    for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d])
      if (static_cast<int>(d) != dims.columns) places.strides[d] = stride;
    places.turns[static_cast<std::size_t>(dims.columns)] = 1;
    places.turns[static_cast<std::size_t>(dims.rows)] = c_.columns - 1;
    return std::make_shared<SkewedGather>(shape, shape, std::move(places));
  }

  const Contraction& c_;
  Index rows_inside_, middle_inside_;
  Index matrices_inside_ = 1, samples_inside_ = 1;
  Index parts_ = 1;   // distances side by side
  Index terms_ = 1;   // ciphertexts of further distances
  Index copies_ = 1;  // of all parts
};

}  // namespace

bool can_shift(const Contraction& contraction, Contraction::Form form, Index slots) {
  const Index middle = form == Contraction::Form::shifted_columns ? contraction.inner : contraction.columns;
  return contraction.rows > 1 && contraction.columns > 1 && contraction.inner > 1 &&
         layout::next_power_of_two(contraction.rows) * layout::next_power_of_two(middle) <= slots;
}

int shifted_expansions(const Contraction& contraction, Index slots) {
  const Contraction& c = contraction;
  if (c.form == Contraction::Form::shifted_inner) return 2;
  return ShiftedPlanner(c, slots, c.inner, c.columns).collects() ? 3 : 2;
}

ContractionPlan plan_shifted(const Contraction& contraction, const Shape& left, const Shape& right, const Shape& result,
                             Index slots) {
  const Contraction& c = contraction;
  if (c.form == Contraction::Form::shifted_columns)
    return ShiftedPlanner(c, slots, c.inner, c.columns).columns(left, right, result);
  return ShiftedPlanner(c, slots, c.columns, c.inner).inner(left, right, result);
}

}  // namespace tacit::graph::passes
