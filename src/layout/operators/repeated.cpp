#include "layout/operators/repeated.h"

#include <utility>

#include "layout/operator_writer.h"
#include "layout/operators/check.h"
#include "layout/operators/combined.h"
#include "layout/operators/window.h"

namespace tacit::layout {

Shape side_by_side(const Shape& shape, Index times) {
  Shape all = shape;
  if (all.empty() || all.front() != 1)
    all.insert(all.begin(), times);
  else
    all.front() = times;
  return all;
}

Repeated::Repeated(LinearOperatorPtr op, Index times)
    : LinearOperator(side_by_side(op->in_shape(), times), side_by_side(op->out_shape(), times)),
      op_(std::move(op)),
      times_(times),
      in_count_(element_count(op_->in_shape())),
      out_count_(element_count(op_->out_shape())) {
  require(times_ >= 1, "repeated operator", "it is repeated less than once");
  require(element_count(in_shape()) > 0 && element_count(out_shape()) > 0, "repeated operator", "a tensor is empty");
}

void Repeated::append_row(Index row, RowEntries& entries) const {
  const std::size_t begin = entries.size();
  op_->append_row(row % out_count_, entries);
  const Index offset = row / out_count_ * in_count_;
  for (std::size_t k = begin; k < entries.size(); ++k) entries.columns[k] += offset;
}

void Repeated::apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  const std::size_t in_size = static_cast<std::size_t>(in_count_) * lanes;
  const std::size_t out_size = static_cast<std::size_t>(out_count_) * lanes;
  for (std::size_t t = 0; t < static_cast<std::size_t>(times_); ++t)
    op_->apply(in.subspan(t * in_size, in_size), out.subspan(t * out_size, out_size), lanes);
}

LinearOperator::SignedSums Repeated::signed_sums() const {
  const SignedSums one = op_->signed_sums();
  SignedSums all;
  for (Index t = 0; t < times_; ++t) {
    all.positive.insert(all.positive.end(), one.positive.begin(), one.positive.end());
    all.negative.insert(all.negative.end(), one.negative.begin(), one.negative.end());
  }
  return all;
}

void Repeated::describe(OperatorWriter& out) const {
  out.kind(OperatorKind::repeated);
  out.to.i64(times_);
  out.nested(*op_);
}

// A window slides over every tensor of a batch alike.
std::optional<WindowPattern> Repeated::window_pattern() const {
  std::optional<WindowPattern> one = op_->window_pattern();
  if (!one) return std::nullopt;
  Shape in = one->window.in(), out = one->window.out();
  in.front() *= times_;
  out.front() *= times_;
  return WindowPattern{Window("repeated operator", std::move(in), std::move(out), one->window.axes()), one->groups,
                       std::move(one->has_entry)};
}

std::optional<RepeatedReals> Repeated::diagonal() const {
  const std::optional<RepeatedReals> one = op_->diagonal();
  if (!one) return std::nullopt;
  return one->repeated(in_count_, times_);
}

LinearOperatorPtr Repeated::equal_part(Index count) const {
  return times_ % count == 0 ? std::make_shared<Repeated>(op_, times_ / count) : nullptr;
}

LinearOperatorPtr Repeated::in_one() const {
  const LinearOperatorPtr op = op_->in_one();
  return op ? std::make_shared<Repeated>(op, times_) : nullptr;
}

LinearOperatorPtr Repeated::selected(const RowSelection& selection) const {
  if (selection.in.front() != times_ || selection.out.front() != times_) return nullptr;
  RowSelection one = selection;
  one.in.front() = one.out.front() = 1;
  const LinearOperatorPtr op = op_->selected(one);
  return op ? repeated(op, times_) : nullptr;
}

LinearOperatorPtr repeated(const LinearOperatorPtr& op, Index times) {
  if (const auto* factors = dynamic_cast<const Scaled*>(op.get()))
    return std::make_shared<Scaled>(repeated(factors->op(), times),
                                    factors->rows().repeated(element_count(op->out_shape()), times),
                                    factors->columns().repeated(element_count(op->in_shape()), times),
                                    side_by_side(op->in_shape(), times), side_by_side(op->out_shape(), times));
  return std::make_shared<Repeated>(op, times);
}

}  // namespace tacit::layout
