#include <algorithm>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/vectorised.h"
#include "layout/operators/convolution_rows.h"
#include "layout/operators/window_taps.h"

namespace tacit::layout {
namespace {

/// Outputs [first, end) of a row read positions x * stride + from of the input's.
struct Reach {
  Index from, first, end;
};
Reach reach_of(const WindowAxis& axis, Index tap, Index extent, Index outputs) {
  const Index from = tap * axis.dilation - axis.pad_begin;
  return {from, from < 0 ? (-from + axis.stride - 1) / axis.stride : 0,
          from < extent ? std::min(outputs, (extent - 1 - from) / axis.stride + 1) : 0};
}

/// What one tap adds to a row of outputs, one channel after the other: sums[x * lanes + i] += weights[c * weight_step]
/// * in[c * plane + (x * step) * lanes + i] for every x below `count` and every channel c.
struct TapOfRow {
  const double *in, *weights;
  Index channels, weight_step, count, step;
  std::size_t plane, lanes;
};

TACIT_VECTORISED void add_tap(const TapOfRow& tap, double* sums) {
  // Elements that follow each other are as good as lanes.
  const Index runs = tap.step == 1 ? 1 : tap.count;
  const std::size_t length = tap.lanes * static_cast<std::size_t>(tap.step == 1 ? tap.count : 1);
  const std::size_t skip = tap.lanes * static_cast<std::size_t>(tap.step);
  Index c = 0;
  for (; c + 4 <= tap.channels; c += 4) {
    const double* in = tap.in + static_cast<std::size_t>(c) * tap.plane;
    const double* w = tap.weights + c * tap.weight_step;
    const double w0 = w[0], w1 = w[tap.weight_step], w2 = w[2 * tap.weight_step], w3 = w[3 * tap.weight_step];
    double* __restrict sum = sums;
    for (Index x = 0; x < runs; ++x, sum += tap.lanes, in += skip)
      for (std::size_t i = 0; i < length; ++i)
        sum[i] = sum[i] + w0 * in[i] + w1 * in[i + tap.plane] + w2 * in[i + 2 * tap.plane] + w3 * in[i + 3 * tap.plane];
  }
  for (; c < tap.channels; ++c) {
    const double* in = tap.in + static_cast<std::size_t>(c) * tap.plane;
    const double w = tap.weights[c * tap.weight_step];
    double* __restrict sum = sums;
    for (Index x = 0; x < runs; ++x, sum += tap.lanes, in += skip)
      for (std::size_t i = 0; i < length; ++i) sum[i] += w * in[i];
  }
}

}  // namespace

// Of any number of lanes. A row of outputs at a time, so that inputs are read where they lie side by side: those of two
// channels are a plane apart, which is a power of two often, and would meet in the same places of the caches.
void Convolution::apply_by_channel(std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  const WindowAxis last = window_.axes().back();
  const Index extent = window_.in().back(), outputs = window_.out().back();
  const auto rows = static_cast<Index>(out.size() / lanes) / outputs;
  const auto plane = static_cast<std::size_t>(window_.in_plane()) * lanes;
  std::vector<double> sums(static_cast<std::size_t>(outputs) * lanes);
  for (Index row = 0; row < rows; ++row) {
    const Window::Place at = window_.place(row * outputs);
    const Index channel = at.batch * window_.in()[1] + at.channel / out_per_group_ * in_per_group_;
    std::fill(sums.begin(), sums.end(), 0.0);
    window_.for_each_tapped_row(at, [&](Index in_row, Index first_tap) {
      for (Index k = 0; k < last.kernel; ++k) {
        if (!reads(at.channel, first_tap + k)) continue;
        const auto [from, first, end] = reach_of(last, k, extent, outputs);
        if (first >= end) continue;
        add_tap({.in = in.data() + static_cast<std::size_t>(channel) * plane +
                       static_cast<std::size_t>(in_row * extent + first * last.stride + from) * lanes,
                 .weights = weights_.data() + at.channel * in_per_group_ * window_.taps() + first_tap + k,
                 .channels = in_per_group_,
                 .weight_step = window_.taps(),
                 .count = end - first,
                 .step = last.stride,
                 .plane = plane,
                 .lanes = lanes},
                sums.data() + static_cast<std::size_t>(first) * lanes);
      }
    });
    double* target = out.data() + static_cast<std::size_t>(row * outputs) * lanes;
    for (std::size_t i = 0; i < sums.size(); ++i) target[i] += sums[i];
  }
}

namespace {

/// Output channels of one group that follow each other, and the taps through which any of them reads.
struct OutputBlock {
  Index first = 0, count = 0;
  std::vector<Index> place;     // by tap: among those that are read, or -1
  std::vector<double> weights;  // [tap that is read][channel][output channel]
};

OutputBlock output_block(const Convolution& op, Index first, Index count) {
  const Index taps = op.window().taps(), channels = op.window().in()[1] / op.groups();
  OutputBlock block{first, count, std::vector<Index>(static_cast<std::size_t>(taps), -1), {}};
  Index read = 0;
  for (Index tap = 0; tap < taps; ++tap) {
    bool any = false;
    for (Index o = first; o < first + count; ++o) any |= op.reads(o, tap);
    if (!any) continue;
    block.place[static_cast<std::size_t>(tap)] = read++;
    for (Index c = 0; c < channels; ++c)
      for (Index o = first; o < first + count; ++o)
        block.weights.push_back(op.weights()[static_cast<std::size_t>((o * channels + c) * taps + tap)]);
  }
  return block;
}

/// Rows of one group's inputs, and what of them a row of outputs reads.
struct RowsOfGroup {
  const double* in;
  Index channels;
  std::size_t plane, lanes;  // numbers of a channel, with its lanes
  WindowAxis axis;           // along a row
  Index extent, outputs;     // positions of a row of inputs and of outputs
};

/// Rows of a group's inputs as `Packing` packs them, of which those of an output row are kept for the next.
template <class Packing>
class KeptRows {
 public:
  explicit KeptRows(const RowsOfGroup& group) : packing{group} {}

  /// Packs those that are missing. All of them stay until the next call.
  void need(const std::vector<Index>& rows) {
    for (const Index row : rows) {
      if (find(row) != nullptr) continue;
      Row* free = nullptr;
      for (Row& kept : rows_)
        if (std::ranges::find(rows, kept.row) == rows.end()) free = &kept;
      if (free == nullptr) free = &rows_.emplace_back();
      free->row = row;
      packing.pack(row, free->numbers);
    }
  }
  ConvolutionRow::Tap tap(Index row, Index k, const double* weights) const {
    return packing.tap(find(row)->numbers.data(), k, weights);
  }

  const Packing packing;

 private:
  struct Row {
    Index row = -1;
    std::vector<double> numbers;
  };
  const Row* find(Index row) const {
    const auto found = std::ranges::find(rows_, row, &Row::row);
    return found == rows_.end() ? nullptr : &*found;
  }
  std::vector<Row> rows_;
};

/// Channels innermost, so that a sum over channels reads one number after the other: [position][channel][lane].
struct PackedLanes {
  static constexpr bool kInPlace = true;  // a row of outputs lies as its sums do
  const RowsOfGroup& group;

  Index outputs() const { return group.outputs; }
  Index stride() const { return group.axis.stride; }
  std::size_t lanes() const { return group.lanes; }
  ConvolutionRow::Tap tap(const double* numbers, Index k, const double* weights) const {
    const Reach reach = reach_of(group.axis, k, group.extent, group.outputs);
    return {numbers, weights, reach.from, reach.first, reach.end};
  }
  void pack(Index row, std::vector<double>& numbers) const {
    const std::size_t lanes = group.lanes, channels = static_cast<std::size_t>(group.channels);
    numbers.resize(static_cast<std::size_t>(group.extent) * channels * lanes);
    for (std::size_t c = 0; c < channels; ++c) {
      const double* from = group.in + c * group.plane + static_cast<std::size_t>(row * group.extent) * lanes;
      double* to = numbers.data() + c * lanes;
      for (Index x = 0; x < group.extent; ++x, from += lanes, to += channels * lanes)
        for (std::size_t lane = 0; lane < lanes; lane += kLanesAtOnce)  // of a known size, which takes no call
          std::copy_n(from + lane, kLanesAtOnce, to + lane);
    }
  }
};

/// Of a single vector, whose outputs take the places of lanes: what a tap reads for some outputs side by side, with
/// zeros outside of the input and past the last output: [tap][some outputs][channel][output].
struct PackedPositions {
  static constexpr bool kInPlace = false;
  const RowsOfGroup& group;

  Index outputs() const {
    return (group.outputs + static_cast<Index>(kLanesAtOnce) - 1) / static_cast<Index>(kLanesAtOnce);
  }
  Index stride() const { return 1; }
  std::size_t lanes() const { return kLanesAtOnce; }
  ConvolutionRow::Tap tap(const double* numbers, Index k, const double* weights) const {
    const Reach reach = reach_of(group.axis, k, group.extent, group.outputs);
    return {numbers + static_cast<std::size_t>(k) * size(), weights, 0, 0, reach.first < reach.end ? outputs() : 0};
  }
  void pack(Index row, std::vector<double>& numbers) const {
    const auto channels = static_cast<std::size_t>(group.channels);
    numbers.assign(static_cast<std::size_t>(group.axis.kernel) * size(), 0.0);
    double* to = numbers.data();
    for (Index k = 0; k < group.axis.kernel; ++k, to += size()) {
      const Reach reach = reach_of(group.axis, k, group.extent, group.outputs);
      for (std::size_t c = 0; c < channels; ++c) {
        const double* from = group.in + c * group.plane + row * group.extent + reach.from;
        for (Index x = reach.first; x < reach.end; ++x) {
          const auto at = static_cast<std::size_t>(x);
          to[(at / kLanesAtOnce * channels + c) * kLanesAtOnce + at % kLanesAtOnce] = from[x * group.axis.stride];
        }
      }
    }
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(outputs() * group.channels) * kLanesAtOnce; }
};

}  // namespace

// Several output channels share the inputs that are loaded, and sums stay in registers.
template <class Packed>
void Convolution::apply_by_block(std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  constexpr double kSmall = 0x1p20;  // products that threads are not worth
  const WindowAxis last = window_.axes().back();
  const Index extent = window_.in().back(), outputs = window_.out().back();
  const Index rows = element_count(window_.out()) / window_.out()[0] / window_.out()[1] / outputs;
  const auto plane = static_cast<std::size_t>(window_.in_plane()) * lanes;
  const auto row_size = static_cast<std::size_t>(outputs) * lanes;
  std::vector<OutputBlock> blocks;
  for (Index group = 0; group < groups_; ++group)
    for (Index o = 0; o < out_per_group_; o += kOutputsAtOnce)
      blocks.push_back(output_block(*this, group * out_per_group_ + o, std::min(kOutputsAtOnce, out_per_group_ - o)));
  const auto blocks_of_group = static_cast<Index>(blocks.size()) / groups_;
  const bool small = products() * static_cast<double>(lanes) < kSmall;
  const Index parts = small ? 1 : std::min<Index>(rows, base::thread_limit());
  const auto part_of_rows = [&](Index batch, Index group, Index part) {
    const double* first = in.data() + static_cast<std::size_t>(batch * window_.in()[1] + group * in_per_group_) * plane;
    const RowsOfGroup inputs{first, in_per_group_, plane, lanes, last, extent, outputs};
    KeptRows<Packed> kept(inputs);
    const Packed& packed = kept.packing;
    std::vector<std::pair<Index, Index>> tapped;  // rows of the input, and the first of their taps
    std::vector<Index> read;
    std::vector<ConvolutionRow::Tap> taps;
    const std::size_t sums_of_channel = static_cast<std::size_t>(packed.outputs()) * packed.lanes();
    std::vector<double> sums(Packed::kInPlace ? 0 : static_cast<std::size_t>(kOutputsAtOnce) * sums_of_channel);
    for (Index row = rows * part / parts; row < rows * (part + 1) / parts; ++row) {
      tapped.clear();
      read.clear();
      window_.for_each_tapped_row(window_.place(row * outputs), [&](Index in_row, Index tap) {
        tapped.emplace_back(in_row, tap);
        read.push_back(in_row);
      });
      kept.need(read);
      for (Index b = group * blocks_of_group; b < (group + 1) * blocks_of_group; ++b) {
        const OutputBlock& block = blocks[static_cast<std::size_t>(b)];
        taps.clear();
        for (const auto& [in_row, first_tap] : tapped)
          for (Index k = 0; k < last.kernel; ++k) {
            const Index place = block.place[static_cast<std::size_t>(first_tap + k)];
            if (place < 0) continue;
            const ConvolutionRow::Tap tap =
                kept.tap(in_row, k, block.weights.data() + place * in_per_group_ * block.count);
            if (tap.first < tap.end) taps.push_back(tap);
          }
        const auto first_channel = static_cast<std::size_t>(batch * window_.out()[1] + block.first);
        const auto channel_size = static_cast<std::size_t>(rows) * row_size;
        double* const first_row = out.data() + first_channel * channel_size + static_cast<std::size_t>(row) * row_size;
        std::ranges::fill(sums, 0.0);
        add_convolution_row({.taps = taps,
                             .channels = in_per_group_,
                             .output_channels = block.count,
                             .outputs = packed.outputs(),
                             .stride = packed.stride(),
                             .lanes = packed.lanes(),
                             .out = Packed::kInPlace ? first_row : sums.data(),
                             .out_step = Packed::kInPlace ? channel_size : sums_of_channel});
        if constexpr (!Packed::kInPlace)
          for (Index o = 0; o < block.count; ++o) {
            double* to = first_row + static_cast<std::size_t>(o) * channel_size;
            const double* from = sums.data() + static_cast<std::size_t>(o) * sums_of_channel;
            for (std::size_t i = 0; i < row_size; ++i) to[i] += from[i];
          }
      }
    }
  };
  for (Index batch = 0; batch < window_.in()[0]; ++batch)
    for (Index group = 0; group < groups_; ++group)
      base::parallel_for(0, static_cast<std::size_t>(parts),
                         [&](std::size_t part) { part_of_rows(batch, group, static_cast<Index>(part)); });
}

void Convolution::apply(std::span<const double> in, std::span<double> out, std::size_t lanes) const {
  constexpr Index kFewOutputs = 4;
  const bool many = out_per_group_ >= kFewOutputs;
  if (many && lanes % kLanesAtOnce == 0)
    apply_by_block<PackedLanes>(in, out, lanes);
  else if (many && lanes == 1 && window_.out().back() >= kFewOutputs)
    apply_by_block<PackedPositions>(in, out, lanes);
  else
    apply_by_channel(in, out, lanes);
}

}  // namespace tacit::layout
