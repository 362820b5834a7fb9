#include "layout/operators/row_band.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/parallel.h"
#include "layout/divisor.h"
#include "layout/operator_writer.h"
#include "layout/operators/check.h"
#include "layout/operators/repeated.h"
#include "layout/operators/window.h"

namespace tacit::layout {
namespace {

constexpr std::size_t kRows = RowSelection::kRows, kColumns = RowSelection::kColumns;

/// The rows of elements of feature maps.
class RowOf {
 public:
  explicit RowOf(const Shape& shape) : rows_(shape[kRows]), columns_(shape[kColumns]) {}
  Index operator()(Index element) const { return rows_.remainder(columns_.quotient(element)); }

 private:
  Divisor rows_, columns_;
};

/// Of a window over rows and columns; none of another operator, or of one that walks its input otherwise.
std::optional<std::set<Index>> offsets_of_window(const LinearOperator& op, const Shape& in, const Shape& out,
                                                 Index stride) {
  const std::optional<WindowPattern> pattern = op.window_pattern();
  if (!pattern || pattern->window.in() != in || pattern->window.out() != out) return std::nullopt;
  const WindowAxis& axis = pattern->window.axes().front();
  if (axis.stride != stride) return std::nullopt;
  std::set<Index> offsets;
  const Index taps = pattern->window.taps(), taps_of_row = taps / axis.kernel;
  for (Index o = 0; o < out[1]; ++o)
    for (Index c = 0; c < in[1] / pattern->groups; ++c)
      for (Index tap = 0; tap < taps; ++tap)
        if (pattern->has_entry(o, c, tap)) offsets.insert(tap / taps_of_row * axis.dilation - axis.pad_begin);
  return offsets;
}

/// The selection, if there is such a one of this operator.
const RowSelection& checked(const LinearOperator& op, const RowSelection& s) {
  require(s.in.size() == RowSelection::kRank && s.out.size() == RowSelection::kRank, "row band",
          "a tensor is no feature map");
  require(element_count(s.in) == element_count(op.in_shape()) &&
              element_count(s.out) == element_count(op.out_shape()) && element_count(s.in) > 0 &&
              element_count(s.out) > 0,
          "row band", "the feature maps have another size than the operator's tensors");
  require(s.begin >= 0 && s.rows >= 1 && s.rows <= s.in[kRows] && s.begin <= s.in[kRows] - s.rows, "row band",
          "rows lie outside the input");
  const auto inside = [](Index value, Index lowest) { return value >= lowest && value <= kMaxOperatorStep; };
  require(inside(s.stride, 1) && inside(s.first, -kMaxOperatorStep) && inside(s.last, -kMaxOperatorStep), "row band",
          "a stride is below 1, or a stride or an offset exceeds 2^28");
  return s;
}

}  // namespace

std::vector<Index> row_offsets(const LinearOperator& op, const Shape& in, const Shape& out, Index stride) {
  if (const auto known = offsets_of_window(op, in, out, stride)) return {known->begin(), known->end()};
  const Index rows = element_count(out), parts = std::min<Index>(rows, base::thread_limit());
  const RowOf in_row(in), out_row(out);
  std::set<Index> all;
  std::mutex mutex;
  base::parallel_for(0, static_cast<std::size_t>(parts), [&](std::size_t part) {
    const auto at = static_cast<Index>(part);
    std::set<Index> own;
    RowEntries entries;
    Index latest = std::numeric_limits<Index>::min();  // entries of one offset follow each other
    for (Index row = rows * at / parts; row < rows * (at + 1) / parts; ++row) {
      entries.clear();
      op.append_row(row, entries);
      const Index read = stride * out_row(row);
      for (std::size_t k = 0; k < entries.size(); ++k) {
        const Index offset = in_row(entries.columns[k]) - read;
        if (entries.weights[k] != 0 && std::exchange(latest, offset) != offset) own.insert(offset);
      }
    }
    const std::lock_guard lock(mutex);
    all.merge(own);
  });
  return {all.begin(), all.end()};
}

RowBand::RowBand(LinearOperatorPtr op, RowSelection selection)
    : LinearOperator(checked(*op, selection).kept(), selection.out),
      op_(std::move(op)),
      selection_(std::move(selection)) {
  if (const LinearOperatorPtr in_one = op_->in_one()) one_ = in_one->selected(selection_);
}

const LinearOperator& RowBand::pattern() const { return one_ ? one_->pattern() : *this; }

std::optional<WindowPattern> RowBand::window_pattern() const { return one_ ? one_->window_pattern() : std::nullopt; }

void RowBand::apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  if (one_)
    one_->apply(in, out, lanes);
  else
    LinearOperator::apply(in, out, lanes);
}

LinearOperator::SignedSums RowBand::signed_sums() const {
  return one_ ? one_->signed_sums() : LinearOperator::signed_sums();
}

void RowBand::append_row(Index row, RowEntries& entries) const {
  if (one_) return one_->append_row(row, entries);
  const RowSelection& s = selection_;
  const std::size_t begin = entries.size();
  op_->append_row(row, entries);
  const Index read = s.stride * RowOf(s.out)(row);
  const Index first = std::max(read + s.first, s.begin), last = std::min(read + s.last, s.begin + s.rows - 1);
  const Index plane = s.in[kRows] * s.in[kColumns], left_out = (s.in[kRows] - s.rows) * s.in[kColumns];
  const RowOf in_row(s.in);
  const Divisor planes(plane);
  std::size_t kept = begin;
  for (std::size_t k = begin; k < entries.size(); ++k) {
    const Index column = entries.columns[k], from = in_row(column);
    if (from < first || from > last) continue;
    entries.columns[kept] = column - planes.quotient(column) * left_out - s.begin * s.in[kColumns];
    entries.weights[kept++] = entries.weights[k];
  }
  entries.resize(kept);
}

void RowBand::describe(OperatorWriter& out) const {
  out.head(OperatorKind::row_band, *this);
  const RowSelection& s = selection_;
  for (const Index value : {s.in[kRows], s.stride, s.first, s.last, s.begin}) out.to.i64(value);
  out.nested(*op_);
}

LinearOperatorPtr RowBand::equal_part(Index count) const {
  LinearOperatorPtr part = op_->equal_part(count);
  RowSelection of_part = selection_;
  if (!part || of_part.in[0] % count != 0 || of_part.out[0] % count != 0) return nullptr;
  of_part.in[0] /= count;
  of_part.out[0] /= count;
  return std::make_shared<RowBand>(std::move(part), std::move(of_part));
}

LinearOperatorPtr selected(const LinearOperatorPtr& op, const RowSelection& selection) {
  LinearOperatorPtr structured = op->selected(selection);
  return structured ? structured : std::make_shared<RowBand>(op, selection);
}

LinearOperatorPtr kept_rows(const Shape& in, Index begin, Index rows) {
  Shape one = in, kept = in;
  one[0] = 1;
  kept[0] = 1;
  kept[kRows] = rows;
  // The last of begin + 1 taps on rows, in every channel.
  std::vector<double> weights(static_cast<std::size_t>(in[1] * (begin + 1)));
  for (Index c = 0; c < in[1]; ++c) weights[static_cast<std::size_t>(c * (begin + 1) + begin)] = 1;
  const auto op = std::make_shared<Convolution>(
      std::move(one), std::move(kept), std::vector<WindowAxis>{{.kernel = begin + 1}, {}}, in[1], std::move(weights));
  return in[0] == 1 ? LinearOperatorPtr(op) : repeated(op, in[0]);
}

}  // namespace tacit::layout
