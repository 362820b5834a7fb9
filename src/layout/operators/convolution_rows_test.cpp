#include "layout/operators/convolution_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/refusal_for_test.h"
#include "layout/operators/applied_for_test.h"

namespace tacit::layout {
namespace {

// A tap that reaches outputs behind the row adds nothing there: what follows belongs to others.
TEST(ConvolutionRows, AddTheOutputsOfTheRowAlone) {
  for (const std::size_t lanes : {std::size_t{8}, std::size_t{16}}) {
    const std::vector<double> in = counted(6 * 2 * static_cast<Index>(lanes));  // six positions of two channels
    const std::vector<double> weights{1, 10, 100, 1000};                        // [channel][output channel]
    const std::vector<ConvolutionRow::Tap> taps{{in.data(), weights.data(), 1, 0, 3}};
    const std::size_t step = 3 * lanes;  // two outputs, and room for one
    std::vector<double> out(2 * step, 0.5), expected = out;
    for (std::size_t o = 0; o < 2; ++o)
      for (std::size_t x = 0; x < 2; ++x)
        for (std::size_t c = 0; c < 2; ++c)
          for (std::size_t lane = 0; lane < lanes; ++lane)
            expected[o * step + x * lanes + lane] += weights[c * 2 + o] * in[((2 * x + 1) * 2 + c) * lanes + lane];
    add_convolution_row({.taps = taps,
                         .channels = 2,
                         .output_channels = 2,
                         .outputs = 2,
                         .stride = 2,
                         .lanes = lanes,
                         .out = out.data(),
                         .out_step = step});
    EXPECT_EQ(out, expected) << lanes;
  }
}

TEST(ConvolutionRows, HaveSixOutputChannelsAtMost) {
  ConvolutionRow row;
  for (Index channels = 1; channels <= 6; ++channels) {
    row.output_channels = channels;
    EXPECT_EQ(base::refusal<base::InternalError>([&] { add_convolution_row(row); }), base::kNotRefused);
  }
  for (const Index channels : {0, 7}) {
    row.output_channels = channels;
    EXPECT_EQ(base::refusal<base::InternalError>([&] { add_convolution_row(row); }),
              "a row of a convolution in too many output channels");
  }
}

}  // namespace
}  // namespace tacit::layout
