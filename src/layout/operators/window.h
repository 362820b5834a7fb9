#pragma once

#include <functional>
#include <vector>

#include "layout/linear_operator.h"

namespace tacit::layout {

/// One axis of a sliding window. Output position o reads input positions o * stride - pad_begin + k * dilation for k in
/// [0, kernel). Positions outside the input are zero. pad_end matters only to averages that count the padding.
struct WindowAxis {
  Index kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;
  bool operator==(const WindowAxis&) const = default;
};

/// The common part of convolution and pooling: tensors [batch, channels, spatial ...] with 1 to 3 spatial axes, and a
/// window that slides over them. The caller gives the output extents.
class Window {
 public:
  static constexpr std::size_t kMaxAxes = 3;
  /// Throws InputError naming `op` if ranks or batches differ, or an axis is out of range.
  Window(const char* op, Shape in, Shape out, std::vector<WindowAxis> axes);
  const Shape& in() const { return in_; }
  const Shape& out() const { return out_; }
  const std::vector<WindowAxis>& axes() const { return axes_; }
  Index taps() const { return taps_; }
  Index in_plane() const { return in_plane_; }

  /// Batch and channel of an output element, and the start of its window on every axis.
  struct Place {
    Index batch = 0, channel = 0;
    Index start[kMaxAxes] = {};
  };
  Place place(Index element) const;
  /// Calls visit(row of the input plane, tap) for every tap inside the input on all axes except the last. `tap` is the
  /// first one on the last axis there.
  template <class Visit>
  void for_each_tapped_row(const Place& place, const Visit& visit) const;
  /// Calls visit(offset in the input plane, tap) for every tap of the window inside the input.
  template <class Visit>
  void for_each_tap(const Place& place, const Visit& visit) const;

 private:
  Shape in_, out_;
  std::vector<WindowAxis> axes_;
  Index taps_ = 1, in_plane_ = 1;
};

/// The pattern of the entries of an operator that slides `window`. Output channel o reads channel c of its group
/// through tap t if has_entry(o, c, t). o counts all output channels.
struct WindowPattern {
  Window window;
  Index groups = 1;
  std::function<bool(Index out_channel, Index channel, Index tap)> has_entry;
};

/// A convolution (cross-correlation, as in ONNX) with row-major weights [out channels, in channels / groups, kernel
/// ...].
class Convolution final : public LinearOperator {
 public:
  /// Throws InputError if groups and channels or the number of weights do not fit.
  Convolution(Shape in, Shape out, std::vector<WindowAxis> axes, Index groups, std::vector<double> weights);
  void append_row(Index row, RowEntries& entries) const override;
  void apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const override;
  SignedSums signed_sums() const override;
  LinearOperatorPtr selected(const RowSelection& selection) const override;
  void describe(OperatorWriter& out) const override;
  std::optional<WindowPattern> window_pattern() const override;
  std::optional<OneWindow> one_window() const override;
  const Window& window() const { return window_; }
  Index groups() const { return groups_; }
  const std::vector<double>& weights() const { return weights_; }
  /// Returns true if output channel o has a weight other than 0 at a tap. o counts all output channels.
  bool reads(Index out_channel, Index tap) const {
    return reads_[static_cast<std::size_t>(out_channel * window_.taps() + tap)] != 0;
  }
  /// Returns an upper bound on the multiplications of `apply` per lane.
  double products() const;

 private:
  void apply_by_channel(std::span<const double> in, std::span<double> out, std::size_t lanes) const;
  template <class Packed>
  void apply_by_block(std::span<const double> in, std::span<double> out, std::size_t lanes) const;

  Window window_;
  Index groups_, in_per_group_, out_per_group_;
  std::vector<double> weights_;
  std::vector<char> reads_;  // by output channel and tap
};

/// The common result of several operators, as one convolution.
struct OneWindow {
  const Convolution* op = nullptr;
  double held = 0;  ///< weights that the parts hold
};

/// The mean over the window in every channel. The divisor counts the elements inside the input. With `count_padding` it
/// counts those inside the padded input: a window beyond the padded edge (ceil mode) has fewer.
class AveragePool final : public LinearOperator {
 public:
  /// Throws InputError if the channels differ.
  AveragePool(Shape in, Shape out, std::vector<WindowAxis> axes, bool count_padding);
  void append_row(Index row, RowEntries& entries) const override;
  void describe(OperatorWriter& out) const override;
  std::optional<WindowPattern> window_pattern() const override;
  const Window& window() const { return window_; }

 private:
  Window window_;
  bool count_padding_;
};

}  // namespace tacit::layout
