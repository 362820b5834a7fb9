#include "layout/operators/window.h"

#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "layout/operators/matrix.h"
#include "layout/serialize.h"

// The bounds of what files may say of windows and matrices. A pool holds no weights, whatever its size.
namespace tacit::layout {
namespace {

constexpr Index kLargestStep = Index{1} << 28, kTaps = Index{1} << 20;
const std::string kFine = base::kNotRefused;

std::string pooled(const Shape& in, const Shape& out, const std::vector<WindowAxis>& axes) {
  return base::refusal([&] { AveragePool(in, out, axes, true); });
}
std::string along(const WindowAxis& axis) { return pooled({1, 1, 4}, {1, 1, 1}, {axis}); }

TEST(Window, StepsAreBounded) {
  const std::string steps =
      "average pool: kernel, stride and dilation must be positive, the kernel at most 2^20 and the others at most 2^28";
  const std::string padding = "average pool: a padding is negative or exceeds 2^28";
  for (const WindowAxis& axis : {WindowAxis{1, 1, 1, 0, 0},
                                 {kTaps, 1, 1, 0, 0},
                                 {1, kLargestStep, 1, 0, 0},
                                 {1, 1, kLargestStep, 0, 0},
                                 {1, 1, 1, kLargestStep, 0},
                                 {1, 1, 1, 0, kLargestStep}})
    EXPECT_EQ(along(axis), kFine);
  for (const WindowAxis& axis : {WindowAxis{0, 1, 1, 0, 0},
                                 {kTaps + 1, 1, 1, 0, 0},
                                 {1, 0, 1, 0, 0},
                                 {1, kLargestStep + 1, 1, 0, 0},
                                 {1, 1, 0, 0, 0},
                                 {1, 1, kLargestStep + 1, 0, 0}})
    EXPECT_EQ(along(axis), steps);
  for (const WindowAxis& axis :
       {WindowAxis{1, 1, 1, -1, 0}, {1, 1, 1, kLargestStep + 1, 0}, {1, 1, 1, 0, -1}, {1, 1, 1, 0, kLargestStep + 1}})
    EXPECT_EQ(along(axis), padding);
}

TEST(Window, TapsAndExtentsAreBoundedTogether) {
  const WindowAxis many{.kernel = 1 << 10}, more{.kernel = (1 << 10) + 1}, one{};
  EXPECT_EQ(pooled({1, 1, 4, 4}, {1, 1, 4, 4}, {many, many}), kFine);
  EXPECT_EQ(pooled({1, 1, 4, 4}, {1, 1, 4, 4}, {many, more}), "average pool: the window has more than 2^20 taps");
  EXPECT_EQ(pooled({1, 1, kLargestStep}, {1, 1, kLargestStep}, {one}), kFine);
  for (const auto& [in, out] : {std::pair(kLargestStep + 1, kLargestStep), {kLargestStep, kLargestStep + 1}})
    for (const auto& [from, to] : {std::pair(Shape{1, 1, in, 1}, Shape{1, 1, out, 1}), {{1, 1, 1, in}, {1, 1, 1, out}}})
      EXPECT_EQ(pooled(from, to, {one, one}), "average pool: an extent exceeds 2^28");
  EXPECT_EQ(pooled({1, kLargestStep + 1, 1}, {1, kLargestStep + 1, 1}, {one}), kFine) << "there may be more channels";
}

// The last byte says whether a mean counts the padding.
TEST(Window, APoolIsWrittenWithOneByteForThePadding) {
  const auto bytes = [](bool count_padding) {
    ByteWriter writer;
    write_operator(writer, AveragePool({1, 1, 4}, {1, 1, 2}, {{.kernel = 2, .stride = 2}}, count_padding));
    return writer.take();
  };
  auto with = bytes(true);
  const auto without = bytes(false);
  EXPECT_EQ(with.back(), 1);
  with.back() = 0;
  EXPECT_EQ(with, without);
}

TEST(Window, SlidesOverMapsOfOneToThreeAxes) {
  const WindowAxis one{};
  const std::string maps = "average pool: the tensors are not [batch, channels, spatial ...]";
  for (std::size_t axes = 1; axes <= 3; ++axes) {
    const Shape shape(axes + 2, 2), fewer(axes + 1, 2), more(axes + 3, 2);
    const std::vector<WindowAxis> all(axes, one);
    EXPECT_EQ(pooled(shape, shape, all), kFine);
    EXPECT_EQ(pooled(fewer, fewer, all), maps);
    EXPECT_EQ(pooled(more, more, all), maps);
    EXPECT_EQ(pooled(shape, more, all), maps);
  }
  EXPECT_EQ(pooled({1, 1}, {1, 1}, {}), "average pool: one to three spatial axes");
  EXPECT_EQ(pooled(Shape(6, 2), Shape(6, 2), std::vector<WindowAxis>(4)), "average pool: one to three spatial axes");
  for (const auto& [in, out] :
       {std::pair(Shape{1, 0, 4}, Shape{1, 0, 4}), {{1, 1, 0}, {1, 1, 4}}, {{1, 1, 4}, {1, 1, 0}}})
    EXPECT_EQ(pooled(in, out, {one}), "average pool: a tensor is empty");
  EXPECT_EQ(pooled({2, 1, 4}, {1, 1, 4}, {one}), "average pool: the batches differ");
  EXPECT_EQ(pooled({1, 2, 4}, {1, 1, 4}, {one}), "average pool: the channels differ");
}

TEST(Window, AConvolutionHasAWeightForEveryTapOfEveryChannelItReads) {
  const auto refused = [](Index in, Index out, Index groups, std::size_t weights) {
    return base::refusal([&] {
      Convolution({1, in, 4}, {1, out, 4}, {{.kernel = 3, .pad_begin = 1, .pad_end = 1}}, groups,
                  std::vector<double>(weights, 1.0));
    });
  };
  EXPECT_EQ(refused(4, 6, 1, 4 * 6 * 3), kFine);
  EXPECT_EQ(refused(4, 6, 2, 2 * 6 * 3), kFine);
  for (const std::size_t weights : {0, 35, 37, 48, 72})
    EXPECT_EQ(refused(4, 6, 2, weights),
              "convolution: one weight per output channel, input channel of its group, and tap")
        << weights;
  for (const Index groups : {0, 3, 4})  // which divide neither, the outputs or the inputs alone
    EXPECT_EQ(refused(4, 6, groups, 72), "convolution: the groups do not divide the channels") << groups;
}

TEST(Matrix, RowsStayWithinTheInputAndTheWeights) {
  const auto refused = [](const auto& change) {
    Contraction::Terms terms{.in_base = {0, 1},
                             .weight_base = {0, 2},
                             .in_step = 2,
                             .weight_step = 1,
                             .count = 2,
                             .scale = 1,
                             .weights = {}};
    terms.weights.assign(4, 1.0);
    change(terms);
    return base::refusal([&] { Contraction({4}, {2}, terms); });
  };
  const std::string leaves = "matrix product: a row leaves the input or the weights",
                    steps = "matrix product: steps and count must be 0 to 2^28",
                    bases = "matrix product: one base per output element";
  EXPECT_EQ(refused([](Contraction::Terms&) {}), kFine);
  EXPECT_EQ(refused([](Contraction::Terms& t) { t.in_base[1] = 2; }), leaves);
  EXPECT_EQ(refused([](Contraction::Terms& t) { t.in_base[1] = -1; }), leaves);
  EXPECT_EQ(refused([](Contraction::Terms& t) { t.weight_base[1] = 3; }), leaves);
  EXPECT_EQ(refused([](Contraction::Terms& t) { t.weights.pop_back(); }), leaves);
  EXPECT_EQ(refused([](Contraction::Terms& t) { t.in_step = 3; }), leaves);
  EXPECT_EQ(refused([](Contraction::Terms& t) { t.count = 3; }), leaves);
  // Rows of nothing read nothing, and may begin at the end.
  const auto empty = [](Index in, Index weight) {
    return [=](Contraction::Terms& t) {
      t.count = 0;
      t.in_base[1] = in;
      t.weight_base[1] = weight;
    };
  };
  EXPECT_EQ(refused(empty(4, 4)), kFine);
  EXPECT_EQ(refused(empty(5, 4)), leaves);
  EXPECT_EQ(refused(empty(4, 5)), leaves);
  for (const Index wrong : {Index{-1}, kLargestStep + 1}) {
    EXPECT_EQ(refused([&](Contraction::Terms& t) { t.in_step = wrong; }), steps);
    EXPECT_EQ(refused([&](Contraction::Terms& t) { t.weight_step = wrong; }), steps);
    EXPECT_EQ(refused([&](Contraction::Terms& t) { t.count = wrong; }), steps);
  }
  EXPECT_EQ(refused([](Contraction::Terms& t) {
              t.count = 1;
              t.in_step = t.weight_step = kLargestStep;
            }),
            kFine);
  EXPECT_EQ(refused([](Contraction::Terms& t) { t.in_base.pop_back(); }), bases);
  EXPECT_EQ(refused([](Contraction::Terms& t) { t.weight_base.push_back(0); }), bases);
}

}  // namespace
}  // namespace tacit::layout
