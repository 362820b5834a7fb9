#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::HasSubstr;

Tensor counted(Shape shape, int period) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  Tensor tensor = reals(std::move(shape), {});
  for (std::int64_t i = 0; i < count; ++i) tensor.data.push_back(static_cast<double>(i * 7 % period - period / 3));
  return tensor;
}

/// A window over height and width, and the definition of a convolution with it.
struct Plane {
  std::int64_t stride[2], dilation[2], before[2], behind[2], group;

  Attributes attributes() const {
    return {{"strides", Integers{stride[0], stride[1]}},
            {"dilations", Integers{dilation[0], dilation[1]}},
            {"pads", Integers{before[0], before[1], behind[0], behind[1]}},
            {"group", group}};
  }
  Tensor convolved(const Tensor& x, const Tensor& w, const Tensor& bias) const {
    const auto at = [](const Tensor& t, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
      return t.data.at(static_cast<std::size_t>(((a * t.shape[1] + b) * t.shape[2] + c) * t.shape[3] + d));
    };
    Shape shape{x.shape[0], w.shape[0], 0, 0};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t span = dilation[i] * (w.shape[i + 2] - 1) + 1;
      shape[i + 2] = (x.shape[i + 2] + before[i] + behind[i] - span) / stride[i] + 1;
    }
    Tensor y = reals(shape, {});
    for (std::int64_t n = 0; n < shape[0]; ++n)
      for (std::int64_t o = 0; o < shape[1]; ++o)
        for (std::int64_t row = 0; row < shape[2]; ++row)
          for (std::int64_t column = 0; column < shape[3]; ++column) {
            double sum = bias.data.at(static_cast<std::size_t>(o));
            const std::int64_t first = o / (w.shape[0] / group) * w.shape[1];
            for (std::int64_t i = 0; i < w.shape[1]; ++i)
              for (std::int64_t a = 0; a < w.shape[2]; ++a)
                for (std::int64_t b = 0; b < w.shape[3]; ++b) {
                  const std::int64_t r = row * stride[0] + a * dilation[0] - before[0];
                  const std::int64_t c = column * stride[1] + b * dilation[1] - before[1];
                  if (r < 0 || c < 0 || r >= x.shape[2] || c >= x.shape[3]) continue;
                  sum += at(x, n, first + i, r, c) * at(w, o, i, a, b);
                }
            y.data.push_back(sum);
          }
    return y;
  }
};

TEST(Convolution, IsWhatItsDefinitionSays) {
  const Plane planes[] = {
      {{1, 1}, {1, 1}, {0, 0}, {0, 0}, 1}, {{2, 3}, {1, 1}, {1, 2}, {0, 1}, 2}, {{1, 2}, {2, 3}, {3, 1}, {1, 4}, 2},
      {{3, 1}, {1, 2}, {4, 5}, {6, 0}, 1}, {{2, 2}, {2, 1}, {0, 0}, {5, 5}, 4},
  };
  const Tensor x = counted({2, 4, 7, 8}, 11), bias = counted({8}, 5);
  for (const Plane& plane : planes) {
    const Tensor w = counted({8, 4 / plane.group, 3, 2}, 13);
    const Tensor expected = plane.convolved(x, w, bias), result = only("Conv", {x, w, bias}, plane.attributes());
    EXPECT_EQ(result.shape, expected.shape) << plane.group;
    EXPECT_EQ(result.data, expected.data) << plane.group << ", stride " << plane.stride[0];
  }
}

/// <conv(x), y> is <x, transposed(y)> for all x and y.
TEST(Convolution, TransposedIsItsAdjoint) {
  const Plane planes[] = {
      {{1, 1}, {1, 1}, {0, 0}, {0, 0}, 1}, {{2, 3}, {1, 1}, {1, 1}, {1, 0}, 2}, {{1, 2}, {2, 3}, {1, 2}, {0, 0}, 2}};
  for (const Plane& plane : planes) {
    const Tensor w = counted({6, 4 / plane.group, 3, 2}, 13), none = reals({6}, Reals(6));
    // The first extents whose last window ends where the input does.
    Shape extents{2, 4, 0, 0};
    for (std::size_t i = 0; i < 2; ++i)
      extents[i + 2] =
          3 * plane.stride[i] + plane.dilation[i] * (w.shape[i + 2] - 1) + 1 - plane.before[i] - plane.behind[i];
    const Tensor x = counted(extents, 11);
    const Tensor image = plane.convolved(x, w, none), y = counted(image.shape, 17);
    const Tensor back = only("ConvTranspose", {y, w}, plane.attributes());
    ASSERT_EQ(back.shape, x.shape) << plane.group;
    double left = 0, right = 0;
    for (std::size_t i = 0; i < y.data.size(); ++i) left += image.data[i] * y.data[i];
    for (std::size_t i = 0; i < x.data.size(); ++i) right += back.data[i] * x.data[i];
    EXPECT_EQ(left, right) << plane.group;
  }
}

TEST(Convolution, RefusesShapesByName) {
  const auto zeros = [](Shape shape) { return counted(std::move(shape), 3); };
  const auto refused = [&](Shape x, Shape w, Attributes attributes = {}) {
    return refusal("Conv", {zeros(std::move(x)), zeros(std::move(w))}, std::move(attributes));
  };
  const auto groups = [](std::int64_t group) { return Attributes{{"group", group}}; };
  EXPECT_THAT(refused({1, 1}, {1, 1}), HasSubstr("weights of shape [1, 1] do not fit an input of shape [1, 1] with 1 "
                                                 "to 3 spatial axes"));
  EXPECT_THAT(refused({1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}), HasSubstr("with 1 to 3 spatial axes"));
  EXPECT_THAT(refused({1, 1, 2, 2}, {1, 1, 2}), HasSubstr("with 1 to 3 spatial axes"));
  EXPECT_THAT(refused({1, 1, 2}, {1, 1, 2}, {{"kernel_shape", Integers{3}}}),
              HasSubstr("kernel_shape [3] differs from the weights' [2]"));
  EXPECT_EQ(refused({1, 1, 2, 1, 2}, {1, 1, 2, 1, 1}), base::kNotRefused);
  EXPECT_EQ(refused({1, 4, 2}, {2, 2, 1}, groups(2)), base::kNotRefused);
  EXPECT_THAT(refused({1, 4, 2}, {3, 2, 1}, groups(2)),
              HasSubstr("weights of shape [3, 2, 1] in 2 groups do not fit an input of shape [1, 4, 2]"));
  EXPECT_THAT(refused({1, 5, 2}, {2, 2, 1}, groups(2)), HasSubstr("in 2 groups do not fit"));
  EXPECT_THAT(refused({1, 4, 2}, {2, 4, 1}, groups(2)), HasSubstr("in 2 groups do not fit"));
  EXPECT_THAT(refusal("Conv", {zeros({1, 1, 2}), zeros({2, 1, 1}), zeros({1})}),
              HasSubstr("a bias of shape [1] does not fit 2 output channels"));
}

}  // namespace
}  // namespace tacit::graph::reference
