#include "layout/operators/window.h"

#include "base/vectorised.h"
#include "layout/lanes.h"
#include "layout/operator_writer.h"
#include "layout/operators/check.h"

namespace tacit::layout {
namespace {

constexpr Index kMaxTaps = Index{1} << 20;

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

template <class Visit>
void Window::for_each_tap(const Place& place, const Visit& visit) const {
  // Missing leading axes count as one tap on an input of extent 1.
  const std::size_t missing = kMaxAxes - axes_.size();
  const auto axis = [&](std::size_t d) { return d < missing ? WindowAxis{} : axes_[d - missing]; };
  const auto extent = [&](std::size_t d) { return d < missing ? Index{1} : in_[d - missing + 2]; };
  const auto start = [&](std::size_t d) { return d < missing ? Index{0} : place.start[d - missing]; };
  const WindowAxis a = axis(0), b = axis(1), c = axis(2);
  const auto outside = [](Index x, Index limit) { return x < 0 || x >= limit; };
  for (Index i = 0; i < a.kernel; ++i) {
    const Index z = start(0) + i * a.dilation;
    if (outside(z, extent(0))) continue;
    for (Index j = 0; j < b.kernel; ++j) {
      const Index y = start(1) + j * b.dilation;
      if (outside(y, extent(1))) continue;
      for (Index k = 0; k < c.kernel; ++k) {
        const Index x = start(2) + k * c.dilation;
        if (!outside(x, extent(2))) visit((z * extent(1) + y) * extent(2) + x, (i * b.kernel + j) * c.kernel + k);
      }
    }
  }
}

Convolution::Convolution(Shape in, Shape out, std::vector<WindowAxis> axes, Index groups, std::vector<double> weights)
    : window_("convolution", std::move(in), std::move(out), std::move(axes)),
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
    for (Index c = 0; c < in_per_group_; ++c, ++next) {
      column[next] = (first + c) * plane + offset;
      weight[next] = weights[c * taps + tap];
    }
  });
  entries.resize(next);
}

namespace {

/// sum += weights[c * stride] * x[c * plane] for every channel c, vectors side by side.
template <class Sum>
inline void add_channels(Sum& sum, Index channels, const double* weights, Index stride, const double* x,
                         std::size_t plane) {
  for (Index c = 0; c < channels; ++c, x += plane) sum.add(weights[c * stride], x);
}

/// Where the taps of one window lie, and their weights.
struct Taps {
  std::vector<const double*> inputs, weights;
};

TACIT_VECTORISED void add_taps_of_16(const Taps& taps, Index channels, Index stride, std::size_t plane, double* out) {
  LaneSum<16> sum;
  for (std::size_t t = 0; t < taps.inputs.size(); ++t)
    add_channels(sum, channels, taps.weights[t], stride, taps.inputs[t], plane);
  sum.add_to(out);
}

void add_taps(const Taps& taps, Index channels, Index stride, std::size_t plane, std::size_t lanes, double* out) {
  if (lanes == 16) return add_taps_of_16(taps, channels, stride, plane, out);
  with_lanes(lanes, [&](auto sum) {
    for (std::size_t t = 0; t < taps.inputs.size(); ++t)
      add_channels(sum, channels, taps.weights[t], stride, taps.inputs[t], plane);
    sum.add_to(out);
  });
}

}  // namespace

void Convolution::apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  const auto rows = static_cast<Index>(out.size() / lanes);
  const std::size_t plane = static_cast<std::size_t>(window_.in_plane()) * lanes;
  Taps taps;
  for (Index row = 0; row < rows; ++row) {
    const Window::Place at = window_.place(row);
    const Index first = at.batch * window_.in()[1] + at.channel / out_per_group_ * in_per_group_;
    taps.inputs.clear();
    taps.weights.clear();
    window_.for_each_tap(at, [&](Index offset, Index tap) {
      taps.inputs.push_back(in.data() + static_cast<std::size_t>(first) * plane +
                            static_cast<std::size_t>(offset) * lanes);
      taps.weights.push_back(weights_.data() + at.channel * in_per_group_ * window_.taps() + tap);
    });
    add_taps(taps, in_per_group_, window_.taps(), plane, lanes, out.data() + static_cast<std::size_t>(row) * lanes);
  }
}

namespace {

void describe_axes(OperatorWriter& out, const std::vector<WindowAxis>& axes) {
  out.index(static_cast<Index>(axes.size()));
  for (const WindowAxis& axis : axes)
    for (const Index value : {axis.kernel, axis.stride, axis.dilation, axis.pad_begin, axis.pad_end}) out.index(value);
}

}  // namespace

void Convolution::describe(OperatorWriter& out) const {
  out.head(OperatorKind::convolution, *this);
  describe_axes(out, window_.axes());
  out.index(groups_);
  out.reals(weights_);
}

void AveragePool::describe(OperatorWriter& out) const {
  out.head(OperatorKind::average_pool, *this);
  describe_axes(out, window_.axes());
  out.flag(count_padding_);
}

AveragePool::AveragePool(Shape in, Shape out, std::vector<WindowAxis> axes, bool count_padding)
    : window_("average pool", std::move(in), std::move(out), std::move(axes)), count_padding_(count_padding) {
  require(window_.in()[1] == window_.out()[1], "average pool", "the channels differ");
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
