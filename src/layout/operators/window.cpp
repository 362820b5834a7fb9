#include "layout/operators/window.h"

#include <algorithm>

#include "layout/operator_writer.h"
#include "layout/operators/check.h"
#include "layout/operators/window_taps.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {
namespace {

constexpr Index kMaxTaps = Index{1} << 20;

void describe_axes(OperatorWriter& out, const std::vector<WindowAxis>& axes) {
  out.to.i64(static_cast<Index>(axes.size()));
  for (const WindowAxis& axis : axes)
    for (const Index value : {axis.kernel, axis.stride, axis.dilation, axis.pad_begin, axis.pad_end}) out.to.i64(value);
}

}  // namespace

Window::Window(const char* op, Shape in, Shape out, std::vector<WindowAxis> axes)
    : in_(std::move(in)), out_(std::move(out)), axes_(std::move(axes)) {
  require(!axes_.empty() && axes_.size() <= kMaxAxes, op, "one to three spatial axes");
  require(in_.size() == axes_.size() + 2 && out_.size() == in_.size(), op,
          "the tensors are not [batch, channels, spatial ...]");
  require(element_count(in_) > 0 && element_count(out_) > 0, op, "a tensor is empty");
  require(in_[0] == out_[0], op, "the batches differ");
  for (std::size_t d = 2; d < in_.size(); ++d)
    require(in_[d] <= kMaxOperatorStep && out_[d] <= kMaxOperatorStep, op, "an extent exceeds 2^28");
  const auto inside = [](Index value, Index lowest, Index highest) { return value >= lowest && value <= highest; };
  for (const WindowAxis& axis : axes_) {
    require(inside(axis.kernel, 1, kMaxTaps) && inside(axis.stride, 1, kMaxOperatorStep) &&
                inside(axis.dilation, 1, kMaxOperatorStep),
            op, "kernel, stride and dilation must be positive, the kernel at most 2^20 and the others at most 2^28");
    require(inside(axis.pad_begin, 0, kMaxOperatorStep) && inside(axis.pad_end, 0, kMaxOperatorStep), op,
            "a padding is negative or exceeds 2^28");
    taps_ *= axis.kernel;
    require(taps_ <= kMaxTaps, op, "the window has more than 2^20 taps");
  }
  for (std::size_t d = 2; d < in_.size(); ++d) in_plane_ *= in_[d];
}

Window::Place Window::place(Index element) const {
  Place place;
  for (std::size_t d = axes_.size(); d-- > 0;) {
    place.start[d] = element % out_[d + 2] * axes_[d].stride - axes_[d].pad_begin;
    element /= out_[d + 2];
  }
  place.channel = element % out_[1];
  place.batch = element / out_[1];
  return place;
}

Convolution::Convolution(Shape in, Shape out, std::vector<WindowAxis> axes, Index groups, std::vector<double> weights)
    : LinearOperator(in, out),
      window_("convolution", std::move(in), std::move(out), std::move(axes)),
      groups_(groups),
      weights_(std::move(weights)) {
  const Index in_channels = window_.in()[1], out_channels = window_.out()[1];
  require(groups_ >= 1 && in_channels % groups_ == 0 && out_channels % groups_ == 0, "convolution",
          "the groups do not divide the channels");
  in_per_group_ = in_channels / groups_;
  out_per_group_ = out_channels / groups_;
  require(static_cast<Index>(weights_.size()) / in_per_group_ / out_channels == window_.taps() &&
              weights_.size() % static_cast<std::size_t>(in_per_group_ * out_channels) == 0,
          "convolution", "one weight per output channel, input channel of its group, and tap");
  require_finite(weights_, "convolution");
  const Index taps = window_.taps();
  reads_.resize(static_cast<std::size_t>(out_channels * taps));
  for (Index o = 0; o < out_channels; ++o)
    for (Index c = 0; c < in_per_group_; ++c)
      for (Index tap = 0; tap < taps; ++tap)
        if (weights_[static_cast<std::size_t>((o * in_per_group_ + c) * taps + tap)] != 0)
          reads_[static_cast<std::size_t>(o * taps + tap)] = 1;
}

double Convolution::products() const {
  const auto taps = static_cast<double>(std::ranges::count(reads_, char{1}));
  const Shape& out = window_.out();
  return taps * static_cast<double>(in_per_group_) * static_cast<double>(element_count(out) / out[1]);
}

void Convolution::append_row(Index row, RowEntries& entries) const {
  const Window::Place at = window_.place(row);
  const Index first = at.batch * window_.in()[1] + at.channel / out_per_group_ * in_per_group_;
  const Index taps = window_.taps(), plane = window_.in_plane();
  const double* weights = weights_.data() + at.channel * in_per_group_ * taps;
  std::size_t next = entries.size();
  entries.resize(next + static_cast<std::size_t>(taps * in_per_group_));
  Index* const column = entries.columns.data();
  double* const weight = entries.weights.data();
  window_.for_each_tap(at, [&](Index offset, Index tap) {
    if (!reads(at.channel, tap)) return;
    for (Index c = 0; c < in_per_group_; ++c, ++next) {
      column[next] = (first + c) * plane + offset;
      weight[next] = weights[c * taps + tap];
    }
  });
  entries.resize(next);
}

std::optional<WindowPattern> Convolution::window_pattern() const {
  return WindowPattern{
      window_, groups_, [this](Index out, Index channel, Index tap) {
        return weights_[static_cast<std::size_t>((out * in_per_group_ + channel) * window_.taps() + tap)] != 0;
      }};
}

std::optional<OneWindow> Convolution::one_window() const {
  return OneWindow{this, static_cast<double>(weights_.size())};
}

// The window with some of its rows of taps. Where the first of them is below the first kept row, rows of taps without
// weights come before it, so that the window begins at that row or above it.
LinearOperatorPtr Convolution::selected(const RowSelection& selection) const {
  if (window_.in() != selection.in || window_.out() != selection.out) return nullptr;
  const WindowAxis& axis = window_.axes().front();
  if (axis.stride != selection.stride) return nullptr;
  std::vector<Index> taps;
  for (Index tap = 0; tap < axis.kernel; ++tap)
    if (const Index offset = tap * axis.dilation - axis.pad_begin;
        offset >= selection.first && offset <= selection.last)
      taps.push_back(tap);
  if (taps.empty()) return no_entries(selection.kept(), selection.out);
  const Index pad = axis.pad_begin - taps.front() * axis.dilation + selection.begin;
  const Index unread = pad < 0 ? (-pad + axis.dilation - 1) / axis.dilation : 0;
  std::vector<WindowAxis> axes = window_.axes();
  axes.front().kernel = unread + static_cast<Index>(taps.size());
  axes.front().pad_begin = pad + unread * axis.dilation;
  const auto row = static_cast<std::size_t>(window_.taps() / axis.kernel);
  std::vector<double> weights;
  for (Index kernel = 0; kernel < static_cast<Index>(weights_.size()) / window_.taps(); ++kernel) {
    weights.resize(weights.size() + static_cast<std::size_t>(unread) * row);
    for (const Index tap : taps) {
      const auto from = weights_.begin() + kernel * window_.taps() + tap * static_cast<Index>(row);
      weights.insert(weights.end(), from, from + static_cast<Index>(row));
    }
  }
  return std::make_shared<Convolution>(selection.kept(), selection.out, std::move(axes), groups_, std::move(weights));
}

// Every tap adds the same wherever the window is: the sums over its channels.
LinearOperator::SignedSums Convolution::signed_sums() const {
  const Index taps = window_.taps();
  std::vector<double> positive(static_cast<std::size_t>(window_.out()[1] * taps)), negative(positive.size());
  for (std::size_t w = 0; w < weights_.size(); ++w) {
    const auto at = static_cast<Index>(w) / taps / in_per_group_ * taps + static_cast<Index>(w) % taps;
    (weights_[w] > 0 ? positive : negative)[static_cast<std::size_t>(at)] += weights_[w];
  }
  const auto rows = static_cast<std::size_t>(element_count(window_.out()));
  SignedSums sums{std::vector<double>(rows), std::vector<double>(rows)};
  for (std::size_t row = 0; row < rows; ++row) {
    const Window::Place at = window_.place(static_cast<Index>(row));
    window_.for_each_tap(at, [&](Index, Index tap) {
      sums.positive[row] += positive[static_cast<std::size_t>(at.channel * taps + tap)];
      sums.negative[row] += negative[static_cast<std::size_t>(at.channel * taps + tap)];
    });
  }
  return sums;
}

void Convolution::describe(OperatorWriter& out) const {
  out.head(OperatorKind::convolution, *this);
  describe_axes(out, window_.axes());
  out.to.i64(groups_);
  out.to.compact_reals(weights_);
}

void AveragePool::describe(OperatorWriter& out) const {
  out.head(OperatorKind::average_pool, *this);
  describe_axes(out, window_.axes());
  out.to.u8(count_padding_ ? 1 : 0);
}

AveragePool::AveragePool(Shape in, Shape out, std::vector<WindowAxis> axes, bool count_padding)
    : LinearOperator(in, out),
      window_("average pool", std::move(in), std::move(out), std::move(axes)),
      count_padding_(count_padding) {
  require(window_.in()[1] == window_.out()[1], "average pool", "the channels differ");
}

std::optional<WindowPattern> AveragePool::window_pattern() const {
  return WindowPattern{window_, window_.in()[1], [](Index, Index, Index) { return true; }};
}

void AveragePool::append_row(Index row, RowEntries& entries) const {
  const Window::Place at = window_.place(row);
  Index count = 0;
  if (count_padding_) {
    count = 1;
    for (std::size_t d = 0; d < window_.axes().size(); ++d) {
      const WindowAxis& axis = window_.axes()[d];
      const Index end = window_.in()[d + 2] + axis.pad_end;
      Index inside = 0;
      for (Index k = 0; k < axis.kernel; ++k) inside += at.start[d] + k * axis.dilation < end ? 1 : 0;
      count *= inside;
    }
  } else {
    window_.for_each_tap(at, [&](Index, Index) { ++count; });
  }
  const Index base = (at.batch * window_.in()[1] + at.channel) * window_.in_plane();
  window_.for_each_tap(at, [&](Index offset, Index) { entries.add(base + offset, 1.0 / static_cast<double>(count)); });
}

}  // namespace tacit::layout
