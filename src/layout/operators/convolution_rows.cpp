#include "layout/operators/convolution_rows.h"

#include <cstring>

#include "base/error.h"
#include "base/vectorised.h"

namespace tacit::layout {
namespace {

// Of the compiler's making: one register, or two or four where they are narrower.
using Lanes = double __attribute__((vector_size(kLanesAtOnce * sizeof(double))));

template <int kOutputs>
[[gnu::always_inline]] inline void add_row(const ConvolutionRow& row) {
  for (Index x = 0; x < row.outputs; ++x)
    for (std::size_t lane = 0; lane < row.lanes; lane += kLanesAtOnce) {
      Lanes sums[kOutputs] = {};
      for (const ConvolutionRow::Tap& tap : row.taps) {
        if (x < tap.first || x >= tap.end) continue;
        const double* in =
            tap.in + static_cast<std::size_t>((x * row.stride + tap.from) * row.channels) * row.lanes + lane;
        const double* weights = tap.weights;
        for (Index c = 0; c < row.channels; ++c, in += row.lanes, weights += kOutputs) {
          Lanes numbers;
          std::memcpy(&numbers, in, sizeof numbers);
          for (int o = 0; o < kOutputs; ++o) sums[o] += weights[o] * numbers;
        }
      }
      double* out = row.out + static_cast<std::size_t>(x) * row.lanes + lane;
      for (int o = 0; o < kOutputs; ++o, out += row.out_step) {
        Lanes total;
        std::memcpy(&total, out, sizeof total);
        total += sums[o];
        std::memcpy(out, &total, sizeof total);
      }
    }
}

}  // namespace

TACIT_VECTORISED_WIDE void add_convolution_row(const ConvolutionRow& row) {
  static_assert(kOutputsAtOnce == 6);
  switch (row.output_channels) {
    case 1: return add_row<1>(row);
    case 2: return add_row<2>(row);
    case 3: return add_row<3>(row);
    case 4: return add_row<4>(row);
    case 5: return add_row<5>(row);
    case 6: return add_row<6>(row);
    default: throw base::InternalError("a row of a convolution in too many output channels");
  }
}

}  // namespace tacit::layout
