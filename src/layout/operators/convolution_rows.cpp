#include "layout/operators/convolution_rows.h"

#include <cstring>

#include "base/error.h"
#include "base/vectorised.h"

namespace tacit::layout {
namespace {

// Lanes that are added up together, by the registers that they fill.
struct FourLanes {
  static constexpr std::size_t kCount = 4;
  using Numbers = double __attribute__((vector_size(kCount * sizeof(double))));
};
struct EightLanes {
  static constexpr std::size_t kCount = 8;
  using Numbers = double __attribute__((vector_size(kCount * sizeof(double))));
};

template <class Numbers>
[[gnu::always_inline]] inline void load(const double* from, Numbers& numbers) {
  std::memcpy(&numbers, from, sizeof numbers);
}

constexpr int kGroups = 2;  // left and right: their sums do not wait for each other

template <class Lanes, int kOutputs>
[[gnu::always_inline]] inline void add_row(const ConvolutionRow& row) {
  for (Index x = 0; x < row.outputs; ++x)
    for (std::size_t lane = 0; lane < row.lanes; lane += kGroups * Lanes::kCount) {
      typename Lanes::Numbers sums[kOutputs * kGroups] = {};
      for (const ConvolutionRow::Tap& tap : row.taps) {
        if (x < tap.first || x >= tap.end) continue;
        const double* in =
            tap.in + static_cast<std::size_t>((x * row.stride + tap.from) * row.channels) * row.lanes + lane;
        const double* weights = tap.weights;
        for (Index c = 0; c < row.channels; ++c, in += row.lanes, weights += kOutputs) {
          typename Lanes::Numbers left, right;
          load(in, left);
          load(in + Lanes::kCount, right);
          for (int o = 0; o < kOutputs; ++o) {
            sums[2 * o] += weights[o] * left;
            sums[2 * o + 1] += weights[o] * right;
          }
        }
      }
      double* out = row.out + static_cast<std::size_t>(x) * row.lanes + lane;
      for (int o = 0; o < kOutputs; ++o, out += row.out_step) {
        typename Lanes::Numbers left, right;
        load(out, left);
        load(out + Lanes::kCount, right);
        left += sums[2 * o];
        right += sums[2 * o + 1];
        std::memcpy(out, &left, sizeof left);
        std::memcpy(out + Lanes::kCount, &right, sizeof right);
      }
    }
}

template <class Lanes>
[[gnu::always_inline]] inline void add_outputs(const ConvolutionRow& row) {
  static_assert(kOutputsAtOnce == 6 && kLanesAtOnce % (kGroups * FourLanes::kCount) == 0);
  switch (row.output_channels) {
    case 1: return add_row<Lanes, 1>(row);
    case 2: return add_row<Lanes, 2>(row);
    case 3: return add_row<Lanes, 3>(row);
    case 4: return add_row<Lanes, 4>(row);
    case 5: return add_row<Lanes, 5>(row);
    case 6: return add_row<Lanes, 6>(row);
    default: throw base::InternalError("a row of a convolution in too many output channels");
  }
}

TACIT_FUSED_VERSIONS(add_four, (const ConvolutionRow& row), add_outputs<FourLanes>(row))
TACIT_FUSED_VERSIONS(add_eight, (const ConvolutionRow& row), add_outputs<EightLanes>(row))

}  // namespace

// Where eight lanes fill one register, sums of twice as many stay in registers.
void add_convolution_row(const ConvolutionRow& row) {
  static const bool wide = base::has_wide_fused();
  static const auto four = TACIT_FUSED_VERSION(add_four), eight = TACIT_FUSED_VERSION(add_eight);
  (wide && row.lanes % (kGroups * EightLanes::kCount) == 0 ? eight : four)(row);
}

}  // namespace tacit::layout
