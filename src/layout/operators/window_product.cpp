#include "layout/operators/window_product.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "layout/operators/check.h"
#include "layout/operators/movement.h"

namespace tacit::layout {
namespace {

/// A convolution holds zeros between the taps that it reads. It may have so many times the weights of its parts: files
/// describe operators by their parts, and what is made of them must be in proportion.
constexpr double kMostGrowth = 16;
constexpr Index kMostTaps = 1024;

/// Where the taps of a part lie among those of a convolution: tap k of an axis is tap begin + k * step of it.
struct PartAxis {
  Index kernel = 1, begin = 0, step = 1;
};

/// By tap of the part.
std::vector<Index> places_of(const std::vector<PartAxis>& part, const std::vector<WindowAxis>& axes) {
  std::vector<Index> places{0};
  for (std::size_t d = 0; d < axes.size(); ++d) {
    std::vector<Index> next;
    for (const Index place : places)
      for (Index k = 0; k < part[d].kernel; ++k)
        next.push_back(place * axes[d].kernel + part[d].begin + k * part[d].step);
    places = std::move(next);
  }
  return places;
}

/// The taps of a convolution with these axes; 0 where it may not be made of parts that hold so many weights.
Index affordable_taps(const std::vector<WindowAxis>& axes, Index kernels, double held) {
  Index taps = 1;
  for (const WindowAxis& axis : axes) {
    if (axis.kernel > kMostTaps || axis.stride > kMaxOperatorStep || axis.dilation > kMaxOperatorStep) return 0;
    taps *= axis.kernel;
    if (taps > kMostTaps) return 0;
  }
  return static_cast<double>(taps) * static_cast<double>(kernels) <= kMostGrowth * held ? taps : 0;
}

Index kernels_of(const Convolution& op) { return static_cast<Index>(op.weights().size()) / op.window().taps(); }

Index at_least_one(Index step) { return std::max<Index>(step, 1); }

/// The mean of a convolution's results, over windows of which none leaves them.
std::shared_ptr<const Convolution> pooled(const AveragePool& pool, const OneWindow& inner) {
  const Window &outer = pool.window(), &window = inner.op->window();
  std::vector<WindowAxis> axes;
  std::vector<PartAxis> by_pool, by_window;
  for (std::size_t d = 0; d < window.axes().size(); ++d) {
    const WindowAxis &a = outer.axes()[d], &b = window.axes()[d];
    const Index last = (outer.out()[d + 2] - 1) * a.stride + (a.kernel - 1) * a.dilation;
    if (a.pad_begin != 0 || last >= outer.in()[d + 2]) return nullptr;
    const Index of_pool = a.dilation * b.stride;
    const Index step = at_least_one(std::gcd(a.kernel > 1 ? of_pool : 0, b.kernel > 1 ? b.dilation : 0));
    const Index kernel = ((a.kernel - 1) * of_pool + (b.kernel - 1) * b.dilation) / step + 1;
    axes.push_back({kernel, a.stride * b.stride, step, b.pad_begin, b.pad_end});
    by_pool.push_back({a.kernel, 0, of_pool / step});
    by_window.push_back({b.kernel, 0, b.dilation / step});
  }
  const Index kernels = kernels_of(*inner.op), taps = affordable_taps(axes, kernels, inner.held);
  if (taps == 0) return nullptr;
  const std::vector<Index> outer_taps = places_of(by_pool, axes), inner_taps = places_of(by_window, axes);
  const double share = 1.0 / static_cast<double>(outer_taps.size());
  std::vector<double> weights(static_cast<std::size_t>(kernels * taps));
  for (Index k = 0; k < kernels; ++k) {
    const double* of_inner = inner.op->weights().data() + k * window.taps();
    double* made = weights.data() + k * taps;
    for (const Index o : outer_taps)
      for (std::size_t i = 0; i < inner_taps.size(); ++i) made[o + inner_taps[i]] += share * of_inner[i];
  }
  return std::make_shared<Convolution>(window.in(), outer.out(), std::move(axes), inner.op->groups(),
                                       std::move(weights));
}

/// For every channel that a gather makes, the channel that it moves there, or kNothing; none where it does anything
/// else.
std::optional<std::vector<Index>> moved_channels(const Gather& gather) {
  const Shape &in = gather.in_shape(), &out = gather.out_shape();
  if (in.size() < 3 || out.size() != in.size() || in[0] != 1 || out[0] != 1 || !gather.weights().empty())
    return std::nullopt;
  if (!std::equal(in.begin() + 2, in.end(), out.begin() + 2)) return std::nullopt;
  const Index plane = element_count(in) / in[1];
  std::vector<Index> channels;
  for (Index o = 0; o < out[1]; ++o) {
    const auto source = gather.source().begin() + o * plane;
    const Index first = *source;
    if (first != Gather::kNothing && first % plane != 0) return std::nullopt;
    for (Index i = 0; i < plane; ++i)
      if (source[i] != (first == Gather::kNothing ? first : first + i)) return std::nullopt;
    channels.push_back(first == Gather::kNothing ? first : first / plane);
  }
  return channels;
}

/// A convolution's channels among others, which are zero.
std::shared_ptr<const Convolution> placed(const Gather& gather, const OneWindow& inner) {
  const std::optional<std::vector<Index>> channels = moved_channels(gather);
  const Shape &in = inner.op->in_shape(), &out = gather.out_shape();
  if (!channels || inner.op->groups() != 1) return nullptr;
  if (affordable_taps(inner.op->window().axes(), in[1] * out[1], inner.held) == 0) return nullptr;
  const Index size = in[1] * inner.op->window().taps();  // weights of an output channel
  std::vector<double> weights(static_cast<std::size_t>(size * out[1]));
  for (Index o = 0; o < out[1]; ++o)
    if (const Index from = (*channels)[static_cast<std::size_t>(o)]; from != Gather::kNothing)
      std::copy_n(inner.op->weights().begin() + from * size, size, weights.begin() + o * size);
  return std::make_shared<Convolution>(in, out, inner.op->window().axes(), 1, std::move(weights));
}

/// Adds the weights of a part.
void add_part(const Convolution& part, const std::vector<Index>& places, Index taps, std::vector<double>& weights) {
  const Index of_part = part.window().taps();
  for (Index k = 0; k < kernels_of(part); ++k)
    for (std::size_t i = 0; i < places.size(); ++i)
      weights[static_cast<std::size_t>(k * taps + places[i])] +=
          part.weights()[static_cast<std::size_t>(k * of_part) + i];
}

}  // namespace

std::shared_ptr<const Convolution> window_of_product(const LinearOperator& outer, const OneWindow& inner) {
  if (outer.in_shape() != inner.op->out_shape()) return nullptr;
  if (const auto* pool = dynamic_cast<const AveragePool*>(&outer)) return pooled(*pool, inner);
  if (const auto* gather = dynamic_cast<const Gather*>(&outer)) return placed(*gather, inner);
  return nullptr;
}

std::shared_ptr<const Convolution> window_behind(const OneWindow& outer, const LinearOperator& inner) {
  const auto* gather = dynamic_cast<const Gather*>(&inner);
  if (!gather || gather->out_shape() != outer.op->in_shape() || outer.op->groups() != 1) return nullptr;
  const std::optional<std::vector<Index>> channels = moved_channels(*gather);
  const Shape &in = gather->in_shape(), &middle = gather->out_shape(), &out = outer.op->out_shape();
  if (!channels || in[1] >= middle[1]) return nullptr;
  const Index taps = outer.op->window().taps();
  std::vector<double> weights(static_cast<std::size_t>(out[1] * in[1] * taps));
  for (Index o = 0; o < out[1]; ++o)
    for (Index c = 0; c < middle[1]; ++c) {
      const Index from = (*channels)[static_cast<std::size_t>(c)];
      if (from == Gather::kNothing) continue;
      const double* read = outer.op->weights().data() + (o * middle[1] + c) * taps;
      double* made = weights.data() + (o * in[1] + from) * taps;
      for (Index tap = 0; tap < taps; ++tap) made[tap] += read[tap];
    }
  return std::make_shared<Convolution>(in, out, outer.op->window().axes(), 1, std::move(weights));
}

bool is_by_channel(const RepeatedReals& factors, const Shape& shape) {
  return factors.values().size() == 1 || factors.run() % (element_count(shape) / (shape[0] * shape[1])) == 0;
}

std::shared_ptr<const Convolution> window_with_factors(const Convolution& op, const RepeatedReals& rows,
                                                       const RepeatedReals& columns) {
  const Window& window = op.window();
  const auto is_known = [](const RepeatedReals& factors, const Shape& shape) {
    return is_by_channel(factors, shape) && factors.repeats_with(element_count(shape) / shape[0]);
  };
  if (!is_known(rows, window.out()) || !is_known(columns, window.in())) return nullptr;
  const Index out_plane = element_count(window.out()) / (window.out()[0] * window.out()[1]);
  const Index outputs = window.out()[1] / op.groups(), inputs = window.in()[1] / op.groups(), taps = window.taps();
  std::vector<double> weights = op.weights();
  for (Index o = 0; o < window.out()[1]; ++o)
    for (Index c = 0; c < inputs; ++c) {
      const double factor = rows[o * out_plane] * columns[(o / outputs * inputs + c) * window.in_plane()];
      for (Index tap = 0; tap < taps; ++tap) weights[static_cast<std::size_t>((o * inputs + c) * taps + tap)] *= factor;
    }
  return std::make_shared<Convolution>(window.in(), window.out(), window.axes(), op.groups(), std::move(weights));
}

std::shared_ptr<const Convolution> window_of_sum(const OneWindow& left, const OneWindow& right) {
  const Window &a = left.op->window(), &b = right.op->window();
  if (a.in() != b.in() || a.out() != b.out() || left.op->groups() != right.op->groups()) return nullptr;
  std::vector<WindowAxis> axes;
  std::vector<PartAxis> of_left, of_right;
  for (std::size_t d = 0; d < a.axes().size(); ++d) {
    const WindowAxis &l = a.axes()[d], &r = b.axes()[d];
    if (l.stride != r.stride) return nullptr;
    const Index pad = std::max(l.pad_begin, r.pad_begin);
    const Index l_step = l.kernel > 1 ? l.dilation : 0, r_step = r.kernel > 1 ? r.dilation : 0;
    const Index step = at_least_one(std::gcd(std::gcd(l_step, r_step), l.pad_begin - r.pad_begin));
    const Index last = std::max((l.kernel - 1) * l.dilation - l.pad_begin, (r.kernel - 1) * r.dilation - r.pad_begin);
    axes.push_back({(last + pad) / step + 1, l.stride, step, pad, std::max(l.pad_end, r.pad_end)});
    of_left.push_back({l.kernel, (pad - l.pad_begin) / step, l_step / step});
    of_right.push_back({r.kernel, (pad - r.pad_begin) / step, r_step / step});
  }
  const Index kernels = kernels_of(*left.op), taps = affordable_taps(axes, kernels, left.held + right.held);
  if (taps == 0) return nullptr;
  std::vector<double> weights(static_cast<std::size_t>(kernels * taps));
  add_part(*left.op, places_of(of_left, axes), taps, weights);
  add_part(*right.op, places_of(of_right, axes), taps, weights);
  return std::make_shared<Convolution>(a.in(), a.out(), std::move(axes), left.op->groups(), std::move(weights));
}

}  // namespace tacit::layout
