#include "layout/operators/combined.h"

#include <algorithm>
#include <utility>

#include "base/aligned.h"
#include "layout/operator_writer.h"
#include "layout/operators/check.h"
#include "layout/operators/window_product.h"
#include "layout/serialize.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {
namespace {

/// Factors around factors are multiplied.
LinearOperatorPtr with_factors(const LinearOperatorPtr& op, const RepeatedReals& rows, const RepeatedReals& columns,
                               const Shape& in, const Shape& out) {
  const auto* factors = dynamic_cast<const Scaled*>(op.get());
  const LinearOperatorPtr& inner = factors ? factors->op() : op;
  const RepeatedReals all_rows = rows.times(factors ? factors->rows() : RepeatedReals(), element_count(out));
  const RepeatedReals all_columns = columns.times(factors ? factors->columns() : RepeatedReals(), element_count(in));
  if (all_rows.all_equal(1) && all_columns.all_equal(1) && inner->in_shape() == in && inner->out_shape() == out)
    return inner;
  return std::make_shared<Scaled>(inner, all_rows, all_columns, in, out);
}

/// Numbers between two operators: their memory is reused (base/aligned.h).
using Numbers = base::AlignedVector<double>;

Numbers multiplied(std::span<const double> in, const RepeatedReals& factors, std::size_t lanes) {
  Numbers result(in.begin(), in.end());
  for (std::size_t e = 0; e < result.size() / lanes; ++e) {
    const double factor = factors[static_cast<Index>(e)];
    for (std::size_t i = 0; i < lanes; ++i) result[e * lanes + i] *= factor;
  }
  return result;
}

}  // namespace

std::optional<WindowPattern> OperatorPair::window_pattern() const {
  return one_ ? one_->window_pattern() : std::nullopt;
}

std::optional<OneWindow> OperatorPair::one_window() const {
  return one_ ? std::optional(OneWindow{one_.get(), held_}) : std::nullopt;
}

Composed::Composed(LinearOperatorPtr outer, LinearOperatorPtr inner)
    : OperatorPair(inner->in_shape(), outer->out_shape()), outer_(std::move(outer)), inner_(std::move(inner)) {
  require(element_count(outer_->in_shape()) == element_count(inner_->out_shape()), "composition",
          "the outer operator reads another number of elements than the inner one makes");
  const std::optional<OneWindow> outer_window = outer_->one_window(), inner_window = inner_->one_window();
  if (inner_window)
    one_ = window_of_product(*outer_, *inner_window);
  else if (outer_window)
    one_ = window_behind(*outer_window, *inner_);
  if (!one_) return;
  const OneWindow& window = inner_window ? *inner_window : *outer_window;
  held_ = window.held;
  applied_in_one_ = one_->products() <= window.op->products();
}

void Composed::append_row(Index row, RowEntries& entries) const {
  if (one_) return one_->append_row(row, entries);
  RowEntries middle;
  outer_->append_row(row, middle);
  for (std::size_t m = 0; m < middle.size(); ++m) {
    const std::size_t begin = entries.size();
    inner_->append_row(middle.columns[m], entries);
    for (std::size_t k = begin; k < entries.size(); ++k) entries.weights[k] *= middle.weights[m];
  }
}

void Composed::apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  if (applied_in_one_) return one_->apply(in, out, lanes);
  Numbers middle(static_cast<std::size_t>(element_count(inner_->out_shape())) * lanes, 0.0);
  inner_->apply(in, middle, lanes);
  outer_->apply(middle, out, lanes);
}

LinearOperatorPtr Composed::selected(const RowSelection& selection) const {
  const LinearOperatorPtr parts = selected_of_parts(selection);
  return parts || !one_ ? parts : one_->selected(selection);
}

LinearOperatorPtr Composed::selected_of_parts(const RowSelection& selection) const {
  constexpr std::size_t kRows = RowSelection::kRows, kColumns = RowSelection::kColumns;
  const Shape& middle = inner_->out_shape();
  if (middle.size() != RowSelection::kRank || middle[0] != selection.out[0] || middle[kRows] != selection.out[kRows] ||
      middle[kColumns] != selection.out[kColumns])
    return nullptr;
  RowEntries entries;
  for (Index row = 0; row < element_count(selection.out); ++row) {
    entries.clear();
    outer_->append_row(row, entries);
    const auto row_of = [&](Index element) { return element / middle[kColumns] % middle[kRows]; };
    if (std::ranges::any_of(entries.columns, [&](Index column) { return row_of(column) != row_of(row); }))
      return nullptr;
  }
  RowSelection of_inner = selection;
  of_inner.out = middle;
  const LinearOperatorPtr inner = inner_->selected(of_inner);
  if (!inner) return nullptr;
  return has_no_entries(*inner) ? no_entries(selection.kept(), selection.out) : composed(outer_, inner);
}

void Composed::describe(OperatorWriter& out) const {
  out.kind(OperatorKind::composed);
  out.nested(*outer_);
  out.nested(*inner_);
}

Sum::Sum(LinearOperatorPtr left, LinearOperatorPtr right)
    : OperatorPair(left->in_shape(), left->out_shape()), left_(std::move(left)), right_(std::move(right)) {
  require(left_->in_shape() == right_->in_shape() && left_->out_shape() == right_->out_shape(), "sum of operators",
          "the shapes differ");
  const std::optional<OneWindow> left_window = left_->one_window(), right_window = right_->one_window();
  if (!left_window || !right_window) return;
  one_ = window_of_sum(*left_window, *right_window);
  held_ = left_window->held + right_window->held;
}

void Sum::append_row(Index row, RowEntries& entries) const {
  if (one_) return one_->append_row(row, entries);
  left_->append_row(row, entries);
  right_->append_row(row, entries);
}

void Sum::apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  if (one_) return one_->apply(in, out, lanes);
  if (has_short_rows()) return LinearOperator::apply(in, out, lanes);
  left_->apply(in, out, lanes);
  right_->apply(in, out, lanes);
}

LinearOperatorPtr Sum::selected(const RowSelection& selection) const {
  const LinearOperatorPtr left = left_->selected(selection), right = right_->selected(selection);
  if (!left || !right) return nullptr;
  if (has_no_entries(*left)) return right;
  if (has_no_entries(*right)) return left;
  return std::make_shared<Sum>(left, right);
}

void Sum::describe(OperatorWriter& out) const {
  out.kind(OperatorKind::sum);
  out.nested(*left_);
  out.nested(*right_);
}

Scaled::Scaled(LinearOperatorPtr op, RepeatedReals rows, RepeatedReals columns, Shape in, Shape out)
    : LinearOperator(std::move(in), std::move(out)),
      op_(std::move(op)),
      rows_(std::move(rows)),
      columns_(std::move(columns)) {
  require(element_count(in_shape()) == element_count(op_->in_shape()) &&
              element_count(out_shape()) == element_count(op_->out_shape()),
          "scaled operator", "a shape has another number of elements");
}

void Scaled::append_row(Index row, RowEntries& entries) const {
  const std::size_t begin = entries.size();
  op_->append_row(row, entries);
  const double factor = rows_[row];
  if (columns_.values().size() == 1) {
    const double both = factor * columns_[0];
    for (std::size_t k = begin; k < entries.size(); ++k) entries.weights[k] *= both;
    return;
  }
  for (std::size_t k = begin; k < entries.size(); ++k) entries.weights[k] *= factor * columns_[entries.columns[k]];
}

// Factors of channels are multiplied into weights, of which there are fewer than elements, and those around short rows
// into their entries.
void Scaled::apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  const bool without_columns = columns_.all_equal(1);
  if (without_columns && rows_.all_equal(1)) return op_->apply(in, out, lanes);
  if (op_->has_short_rows()) return LinearOperator::apply(in, out, lanes);
  if (const std::optional<OneWindow> window = op_->one_window())
    if (const auto folded = window_with_factors(*window->op, rows_, columns_)) return folded->apply(in, out, lanes);
  Numbers result(out.size(), 0.0);
  if (without_columns)
    op_->apply(in, result, lanes);
  else
    op_->apply(multiplied(in, columns_, lanes), result, lanes);
  for (std::size_t e = 0; e < out.size() / lanes; ++e) {
    const double factor = rows_[static_cast<Index>(e)];
    for (std::size_t i = e * lanes; i < (e + 1) * lanes; ++i) out[i] += factor * result[i];
  }
}

LinearOperator::SignedSums Scaled::signed_sums() const {
  if (columns_.values().size() != 1) return LinearOperator::signed_sums();
  SignedSums sums = op_->signed_sums();
  for (std::size_t row = 0; row < sums.positive.size(); ++row) {
    const double factor = rows_[static_cast<Index>(row)] * columns_[0];
    if (factor < 0) std::swap(sums.positive[row], sums.negative[row]);
    sums.positive[row] *= factor;
    sums.negative[row] *= factor;
  }
  return sums;
}

void Scaled::describe(OperatorWriter& out) const {
  out.head(OperatorKind::scaled, *this);
  write_repeated(out.to, rows_);
  write_repeated(out.to, columns_);
  out.nested(*op_);
}

const LinearOperator& Scaled::pattern() const { return op_->pattern(); }

std::optional<WindowPattern> Scaled::window_pattern() const {
  const auto has_zero = [](const RepeatedReals& factors) {
    return std::find(factors.values().begin(), factors.values().end(), 0.0) != factors.values().end();
  };
  return has_zero(rows_) || has_zero(columns_) ? std::nullopt : op_->window_pattern();
}

std::optional<RepeatedReals> Scaled::diagonal() const {
  const std::optional<RepeatedReals> inner = op_->diagonal();
  if (!inner) return std::nullopt;
  const Index count = element_count(in_shape());
  return inner->times(rows_, count).times(columns_, count);
}

LinearOperatorPtr Scaled::selected(const RowSelection& selection) const {
  const LinearOperatorPtr op = op_->selected(selection);
  return op ? around(op, selection) : nullptr;
}

LinearOperatorPtr Scaled::around(const LinearOperatorPtr& op, const RowSelection& selection) const {
  if (has_no_entries(*op)) return op;
  RepeatedReals columns = columns_;
  if (columns.values().size() > 1) {
    const Index plane = selection.in[RowSelection::kRows] * selection.in[RowSelection::kColumns];
    const Index begin = selection.begin * selection.in[RowSelection::kColumns];
    const Index end = begin + selection.rows * selection.in[RowSelection::kColumns];
    std::vector<double> kept;
    for (Index first = 0; first < element_count(selection.in); first += plane)
      for (Index element = first + begin; element < first + end; ++element) kept.push_back(columns_[element]);
    columns = RepeatedReals::of(kept);
  }
  return std::make_shared<Scaled>(op, rows_, std::move(columns), selection.kept(), selection.out);
}

LinearOperatorPtr Scaled::in_one() const {
  const LinearOperatorPtr op = op_->in_one();
  return op ? std::make_shared<Scaled>(op, rows_, columns_, in_shape(), out_shape()) : nullptr;
}

LinearOperatorPtr Scaled::equal_part(Index count) const {
  const LinearOperatorPtr part = op_->equal_part(count);
  if (!part || element_count(in_shape()) % count != 0 || element_count(out_shape()) % count != 0) return nullptr;
  const Index in = element_count(in_shape()) / count, out = element_count(out_shape()) / count;
  if (!rows_.repeats_with(out) || !columns_.repeats_with(in)) return nullptr;
  return std::make_shared<Scaled>(part, rows_, columns_, part->in_shape(), part->out_shape());
}

LinearOperatorPtr scaled(const LinearOperatorPtr& op, const RepeatedReals& rows, const RepeatedReals& columns) {
  return with_factors(op, rows, columns, op->in_shape(), op->out_shape());
}

LinearOperatorPtr reshaped(const LinearOperatorPtr& op, const Shape& in, const Shape& out) {
  return with_factors(op, RepeatedReals(), RepeatedReals(), in, out);
}

LinearOperatorPtr composed(const LinearOperatorPtr& outer, const LinearOperatorPtr& inner) {
  require(element_count(outer->in_shape()) == element_count(inner->out_shape()), "composition",
          "the outer operator reads another number of elements than the inner one makes");
  if (const auto factors = outer->diagonal())
    return with_factors(inner, *factors, RepeatedReals(), inner->in_shape(), outer->out_shape());
  if (const auto factors = inner->diagonal())
    return with_factors(outer, RepeatedReals(), *factors, inner->in_shape(), outer->out_shape());
  return std::make_shared<Composed>(outer, inner);
}

}  // namespace tacit::layout
