#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/window.h"

namespace tacit::graph {
namespace {

using Attributes = std::map<std::string, Attribute>;
using Integers = std::vector<std::int64_t>;

NodeAxis pooled(std::int64_t extent, std::int64_t kernel, Attributes attributes) {
  const NodeWindow window = window_of({"MaxPool", "n", {}, {}, std::move(attributes)}, {1, 1, extent}, {kernel});
  EXPECT_EQ(window.rank, 1u);
  EXPECT_EQ(window.spatial().size(), 1u);
  EXPECT_EQ(window.axes[2].input, extent);
  EXPECT_EQ(window.axes[2].kernel, kernel);
  for (const std::size_t other : {0, 1}) EXPECT_EQ(window.axes[other].output, 1);
  return window.axes[2];
}

NodeAxis transposed(std::int64_t extent, std::int64_t kernel, Attributes attributes) {
  return transposed_window_of({"ConvTranspose", "n", {}, {}, std::move(attributes)}, {1, 1, extent}, {kernel}).axes[2];
}

Attributes with(const char* name, Integers values, Attributes others = {}) {
  others[name] = std::move(values);
  return others;
}
Attributes automatic(const char* value, Attributes others = {}) {
  others["auto_pad"] = std::string(value);
  return others;
}
Attributes round_up(Attributes others) {
  others["ceil_mode"] = std::int64_t{1};
  return others;
}

/// The output's extent, and the padding on both sides.
Integers sizes(const NodeAxis& axis) { return {axis.output, axis.pad_begin, axis.pad_end}; }

TEST(NodeWindow, HasAnOutputForEveryPlaceInItsPaddedInput) {
  EXPECT_EQ(sizes(pooled(10, 3, {})), (Integers{8, 0, 0}));
  EXPECT_EQ(sizes(pooled(10, 10, {})), (Integers{1, 0, 0}));
  EXPECT_EQ(sizes(pooled(10, 3, with("pads", {1, 2}))), (Integers{11, 1, 2}));
  EXPECT_EQ(sizes(pooled(10, 3, with("strides", {2}))), (Integers{4, 0, 0}));
  EXPECT_EQ(sizes(pooled(10, 3, with("dilations", {4}))), (Integers{2, 0, 0}));
  EXPECT_EQ(sizes(pooled(10, 3, automatic("VALID", with("pads", {1, 2})))), (Integers{8, 0, 0}));
  EXPECT_EQ(pooled(10, 3, with("strides", {2})).stride, 2);
  EXPECT_EQ(pooled(10, 3, with("dilations", {4})).dilation, 4);
  EXPECT_EQ(pooled(10, 3, {}).stride, 1);
  EXPECT_EQ(pooled(10, 3, {}).dilation, 1);
}

TEST(NodeWindow, RoundsUpUnlessAWindowWouldBeginBehindTheInput) {
  EXPECT_EQ(sizes(pooled(10, 3, round_up(with("strides", {2})))), (Integers{5, 0, 0}));
  EXPECT_EQ(sizes(pooled(9, 3, round_up(with("strides", {2})))), (Integers{4, 0, 0})) << "nothing is left over";
  EXPECT_EQ(sizes(pooled(4, 2, round_up(with("strides", {2}, with("pads", {0, 1}))))), (Integers{2, 0, 1}));
  EXPECT_EQ(sizes(pooled(4, 2, with("strides", {2}, with("pads", {0, 1})))), (Integers{2, 0, 1}));
  EXPECT_EQ(sizes(pooled(4, 2, round_up(with("strides", {2}, with("pads", {1, 1}))))), (Integers{3, 1, 1}));
  EXPECT_EQ(sizes(pooled(3, 1, round_up(with("strides", {3}, with("pads", {0, 1}))))), (Integers{1, 0, 1}));
  EXPECT_EQ(sizes(pooled(3, 1, with("strides", {3}, with("pads", {0, 1})))), (Integers{2, 0, 1}));
}

TEST(NodeWindow, PadsByItselfForAnOutputAStride) {
  EXPECT_EQ(sizes(pooled(10, 3, automatic("SAME_UPPER"))), (Integers{10, 1, 1}));
  EXPECT_EQ(sizes(pooled(10, 4, automatic("SAME_UPPER"))), (Integers{10, 1, 2}));
  EXPECT_EQ(sizes(pooled(10, 4, automatic("SAME_LOWER"))), (Integers{10, 2, 1}));
  EXPECT_EQ(sizes(pooled(10, 3, automatic("SAME_UPPER", with("strides", {3})))), (Integers{4, 1, 1}));
  EXPECT_EQ(sizes(pooled(9, 3, automatic("SAME_UPPER", with("strides", {3})))), (Integers{3, 0, 0}));
  EXPECT_EQ(sizes(pooled(10, 1, automatic("SAME_LOWER", with("strides", {4})))), (Integers{3, 0, 0}));
  EXPECT_EQ(sizes(pooled(10, 2, automatic("SAME_UPPER", with("dilations", {3})))), (Integers{10, 1, 2}));
}

TEST(NodeWindow, HasThePadsOfAllAxesInFrontOfThoseBehind) {
  const NodeWindow window =
      window_of({"MaxPool", "n", {}, {}, with("pads", {1, 2, 3, 4}, with("strides", {1, 2}))}, {1, 1, 10, 11}, {3, 4});
  EXPECT_EQ(window.rank, 2u);
  EXPECT_EQ(sizes(window.axes[1]), (Integers{12, 1, 3}));
  EXPECT_EQ(sizes(window.axes[2]), (Integers{7, 2, 4}));  // (11 + 6 - 4) / 2 + 1
  EXPECT_EQ(window.axes[1].kernel, 3);
  EXPECT_EQ(window.axes[2].kernel, 4);
  const NodeWindow three = window_of({"MaxPool", "n", {}, {}, {}}, {1, 1, 5, 6, 7}, {1, 2, 3});
  EXPECT_EQ(three.rank, 3u);
  for (const std::size_t axis : {0, 1, 2}) EXPECT_EQ(three.axes[axis].output, 5) << axis;
}

TEST(NodeWindow, ThatDoesNotFitIsRefused) {
  const auto said = [](const Shape& input, const Shape& kernel, const Attributes& attributes = {}) {
    return base::refusal([&] { window_of({"MaxPool", "n", {}, {}, attributes}, input, kernel); });
  };
  const std::string node = "node 'n' (MaxPool): ";
  EXPECT_EQ(said({1, 1}, {}), node + "an input of shape [1, 1] has 0 spatial axes; 1 to 3 are supported");
  EXPECT_EQ(said({1, 1, 2, 2, 2, 2}, {1, 1, 1, 1}),
            node + "an input of shape [1, 1, 2, 2, 2, 2] has 4 spatial axes; 1 to 3 are supported");
  EXPECT_EQ(said({1, 1, 2}, {1, 1}), node + "a kernel of shape [1, 1] does not fit an input of shape [1, 1, 2]");
  EXPECT_EQ(said({1, 1, 2}, {0}), node + "the kernel [0] is empty");
  EXPECT_EQ(said({1, 1, 2}, {kLargestExtent + 1}), node + "the kernel [2147483649] is empty");
  EXPECT_EQ(said({1, 1, 2}, {1}), base::kNotRefused);
  EXPECT_EQ(said({1, 1, 2}, {3}), node + "a window that spans 3 positions is larger than the padded input extent 2");
  EXPECT_EQ(said({1, 1, 3}, {3}, with("dilations", {2}, with("pads", {1, 0}))),
            node + "a window that spans 5 positions is larger than the padded input extent 4");
  EXPECT_EQ(said({1, 1, 3}, {3}, with("dilations", {2}, with("pads", {1, 1}))), base::kNotRefused);
  EXPECT_EQ(said({1, 1, 3}, {3}, with("strides", {1, 1})), node + "attribute 'strides' must hold 1 values");
  EXPECT_EQ(said({1, 1, 3}, {3}, with("pads", {1})), node + "attribute 'pads' must hold 2 values");
  EXPECT_EQ(said({1, 1, 3, 3}, {3, 3}, with("pads", {1, 1})), node + "attribute 'pads' must hold 4 values");
}

TEST(NodeWindow, TransposedHasAllThatItsTapsReach) {
  const auto output = [](std::int64_t kernel, const Attributes& attributes) {
    const NodeAxis axis = transposed(4, kernel, attributes);
    return Integers{axis.output, axis.pad_begin};
  };
  EXPECT_EQ(output(3, {}), (Integers{6, 0}));
  EXPECT_EQ(output(3, with("strides", {2})), (Integers{9, 0}));
  EXPECT_EQ(output(3, with("dilations", {2})), (Integers{8, 0}));
  EXPECT_EQ(output(3, with("strides", {2}, with("output_padding", {1}))), (Integers{10, 0}));
  EXPECT_EQ(output(3, with("pads", {1, 2})), (Integers{3, 1}));
  EXPECT_EQ(output(3, with("pads", {3, 2})), (Integers{1, 3}));
  EXPECT_EQ(output(3, automatic("VALID", with("pads", {1, 2}))), (Integers{6, 0}));
  // By itself: an output a stride, and no more than there is.
  EXPECT_EQ(output(3, automatic("SAME_UPPER", with("strides", {2}))), (Integers{8, 0}));
  EXPECT_EQ(output(3, automatic("SAME_LOWER", with("strides", {2}))), (Integers{8, 1}));
  EXPECT_EQ(output(4, automatic("SAME_UPPER", with("strides", {2}))), (Integers{8, 1}));
  EXPECT_EQ(output(1, automatic("SAME_UPPER", with("strides", {2}))), (Integers{7, 0}));
  // As it is stated, with batch and channels or without.
  EXPECT_EQ(output(3, with("strides", {2}, with("output_shape", {7}))), (Integers{7, 1}));
  EXPECT_EQ(output(3, with("strides", {2}, with("output_shape", {1, 1, 7}))), (Integers{7, 1}));
  EXPECT_EQ(output(3, with("strides", {2}, with("output_shape", {8}))), (Integers{8, 1}));
  EXPECT_EQ(output(3, automatic("SAME_UPPER", with("strides", {2}, with("output_shape", {8})))), (Integers{8, 0}));
  EXPECT_EQ(output(3, with("output_shape", {12})), (Integers{12, 0}));
}

TEST(NodeWindow, TransposedIsRefusedWhereNothingIsLeft) {
  const auto said = [](std::int64_t extent, std::int64_t kernel, const Attributes& attributes) {
    return base::refusal([&] { transposed(extent, kernel, attributes); });
  };
  const std::string node = "node 'n' (ConvTranspose): ";
  EXPECT_EQ(said(4, 0, {}), node + "a kernel [0] on an input of shape [1, 1, 4] is empty");
  EXPECT_EQ(said(0, 3, {}), node + "a kernel [3] on an input of shape [1, 1, 0] is empty");
  EXPECT_EQ(said(1, 1, {}), base::kNotRefused);
  EXPECT_EQ(said(4, 3, with("pads", {3, 3})), node + "its pads remove the whole output");
  EXPECT_EQ(said(4, 3, with("output_shape", {1, 7})), node + "output_shape must hold 1 values");
  EXPECT_EQ(said(4, 3, with("output_shape", {0})), node + "an output extent of 0 is outside [1, 2^31]");
  EXPECT_EQ(said(4, 3, with("output_shape", {1})), base::kNotRefused);
  EXPECT_EQ(said(4, 3, with("output_shape", {kLargestExtent})), base::kNotRefused);
  EXPECT_EQ(said(4, 3, with("output_shape", {kLargestExtent + 1})),
            node + "an output extent of 2147483649 is outside [1, 2^31]");
}

TEST(NodeWindow, TapsAreThoseInsideTheExtent) {
  int some = 0, none = 0;
  for (const std::int64_t kernel : {1, 2, 3, 5})
    for (const std::int64_t stride : {1, 2, 3})
      for (const std::int64_t dilation : {1, 2, 3})
        for (const std::int64_t pad : {0, 1, 2, 4})
          for (const std::int64_t extent : {1, 2, 5})
            for (std::int64_t position = 0; position < 6; ++position) {
              NodeAxis axis;
              axis.kernel = kernel;
              axis.stride = stride;
              axis.dilation = dilation;
              axis.pad_begin = pad;
              const Taps found = taps(axis, position, extent);
              Integers inside, expected;
              for (std::int64_t tap = found.first; tap < found.last; ++tap) inside.push_back(tap);
              for (std::int64_t tap = 0; tap < kernel; ++tap)
                if (const std::int64_t at = position * stride - pad + tap * dilation; at >= 0 && at < extent)
                  expected.push_back(tap);
              ASSERT_EQ(inside, expected) << kernel << stride << dilation << pad << extent << position;
              EXPECT_EQ(found.start, position * stride - pad);
              EXPECT_EQ(found.empty(), expected.empty());
              ++(expected.empty() ? none : some);
            }
  EXPECT_GT(some, 500);
  EXPECT_GT(none, 500);
}

}  // namespace
}  // namespace tacit::graph
