#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Three = std::array<std::int64_t, 3>;

/// Windows of three axes that differ in everything.
constexpr Three kMapExtents{4, 5, 6}, kKernel{2, 3, 2}, kStrides{1, 2, 3}, kDilations{2, 1, 3}, kBefore{0, 2, 1},
    kBehind{1, 1, 2};
constexpr std::int64_t kMaps = 4, kMapSize = 4 * 5 * 6;

/// Two batches of two channels; all elements differ.
Tensor four_maps() {
  std::vector<double> data;
  for (std::int64_t i = 0; i < kMaps * kMapSize; ++i) data.push_back(static_cast<double>(i * 101 % 487 - 200));
  return reals({2, 2, 4, 5, 6}, std::move(data));
}

Attributes four_maps_window() {
  return {{"kernel_shape", Integers(kKernel.begin(), kKernel.end())},
          {"strides", Integers(kStrides.begin(), kStrides.end())},
          {"dilations", Integers(kDilations.begin(), kDilations.end())},
          {"pads", Integers{0, 2, 1, 1, 1, 2}}};
}

/// What one window reads: places within the map, and how many taps lie inside the padded map.
struct Seen {
  std::int64_t map = 0;
  std::vector<Three> places;
  double padded = 0;
};

/// All windows by the definition: every tap of every position is looked at.
std::vector<Seen> all_windows() {
  Three outputs{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t span = (kKernel[i] - 1) * kDilations[i] + 1;
    outputs[i] = (kMapExtents[i] + kBefore[i] + kBehind[i] - span) / kStrides[i] + 1;
  }
  std::vector<Seen> windows;
  for (std::int64_t map = 0; map < kMaps; ++map) {
    for (std::int64_t o = 0; o < outputs[0] * outputs[1] * outputs[2]; ++o) {
      const Three position{o / outputs[2] / outputs[1], o / outputs[2] % outputs[1], o % outputs[2]};
      Seen seen;
      seen.map = map;
      for (std::int64_t tap = 0; tap < kKernel[0] * kKernel[1] * kKernel[2]; ++tap) {
        const Three taps{tap / kKernel[2] / kKernel[1], tap / kKernel[2] % kKernel[1], tap % kKernel[2]};
        Three at{};
        bool inside = true;
        for (std::size_t i = 0; i < 3; ++i) {
          at[i] = position[i] * kStrides[i] - kBefore[i] + taps[i] * kDilations[i];
          inside = inside && at[i] >= 0 && at[i] < kMapExtents[i];
        }
        if (inside) seen.places.push_back(at);
        ++seen.padded;
      }
      windows.push_back(std::move(seen));
    }
  }
  return windows;
}

std::int64_t row_major(const Three& at) { return (at[0] * 5 + at[1]) * 6 + at[2]; }
std::int64_t first_axis_fastest(const Three& at) { return (at[2] * 5 + at[1]) * 4 + at[0]; }

double element(const Tensor& x, const Seen& seen, const Three& at) {
  return x.data[static_cast<std::size_t>(seen.map * kMapSize + row_major(at))];
}

TEST(PoolingWindows, AveragesAreThoseOfTheDefinition) {
  const Tensor x = four_maps();
  std::vector<double> inside, with_padding;
  for (const Seen& seen : all_windows()) {
    double sum = 0;
    for (const Three& at : seen.places) sum += element(x, seen, at);
    inside.push_back(sum / static_cast<double>(seen.places.size()));
    with_padding.push_back(sum / seen.padded);
  }
  Attributes attributes = four_maps_window();
  const Tensor made = only("AveragePool", {x}, attributes);
  EXPECT_THAT(made.shape, ElementsAre(2, 2, 3, 3, 2));
  EXPECT_THAT(made.data, near(inside));
  attributes["count_include_pad"] = std::int64_t{1};
  EXPECT_THAT(only("AveragePool", {x}, attributes).data, near(with_padding));
}

TEST(PoolingWindows, MaximaAndPlacesAreThoseOfTheDefinition) {
  const Tensor x = four_maps();
  std::vector<double> maxima, rows_first, columns_first;
  for (const Seen& seen : all_windows()) {
    const Three best =
        *std::ranges::max_element(seen.places, {}, [&](const Three& at) { return element(x, seen, at); });
    maxima.push_back(element(x, seen, best));
    rows_first.push_back(static_cast<double>(seen.map * kMapSize + row_major(best)));
    columns_first.push_back(static_cast<double>(seen.map * kMapSize + first_axis_fastest(best)));
  }
  Attributes attributes = four_maps_window();
  const auto both = all_of("MaxPool", {x}, attributes, 2);
  EXPECT_EQ(both.at(0).data, maxima);
  EXPECT_FALSE(both.at(0).integral);
  EXPECT_EQ(both.at(1).data, rows_first);
  EXPECT_EQ(both.at(1).shape, both.at(0).shape);
  EXPECT_TRUE(both.at(1).integral);
  EXPECT_EQ(all_of("MaxPool", {x}, attributes).size(), 1u) << "places are made where they are asked for";
  attributes["storage_order"] = std::int64_t{1};
  EXPECT_EQ(all_of("MaxPool", {x}, attributes, 2).at(1).data, columns_first);
}

TEST(PoolingWindows, NormsAreThoseOfTheDefinition) {
  const Tensor x = four_maps();
  for (const std::int64_t p : {1, 2, 3}) {
    std::vector<double> norms;
    for (const Seen& seen : all_windows()) {
      double sum = 0;
      for (const Three& at : seen.places) sum += std::pow(std::abs(element(x, seen, at)), static_cast<double>(p));
      norms.push_back(std::pow(sum, 1 / static_cast<double>(p)));
    }
    Attributes attributes = four_maps_window();
    attributes["p"] = p;
    EXPECT_THAT(only("LpPool", {x}, attributes).data, testing::Pointwise(testing::DoubleNear(1e-9), norms)) << p;
  }
}

TEST(PoolingWindows, OfIntegersAreMaximaOfIntegers) {
  const Tensor x = integers({1, 1, 3}, {3, -4, 3});
  const Attributes pair{{"kernel_shape", Integers{2}}};
  EXPECT_TRUE(only("MaxPool", {x}, pair).integral);
  EXPECT_FALSE(only("LpPool", {x}, pair).integral);
  EXPECT_THAT(only("LpPool", {x}, pair).data, ElementsAre(5, 5));
}

TEST(PoolingWindows, FirstOfEqualMaximaIsTheirPlace) {
  const auto place = [](std::vector<double> line) {
    const auto extent = static_cast<std::int64_t>(line.size());
    return all_of("MaxPool", {reals({1, 1, extent}, std::move(line))}, {{"kernel_shape", Integers{extent}}}, 2)
        .at(1)
        .data;
  };
  EXPECT_THAT(place({2, 5, 5}), ElementsAre(1));
  EXPECT_THAT(place({5, 2, 5}), ElementsAre(0));
  EXPECT_THAT(place({1, 2, 5}), ElementsAre(2));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(place({-kInfinity, -kInfinity}), ElementsAre(0)) << "no element is larger than where the search starts";
}

/// Kernel 1 and a pad before one axis: the first window along it has nothing of the input.
TEST(PoolingWindows, WhollyInThePaddingAreRefusedWhereTheyMeanNothing) {
  const Tensor x = reals({1, 1, 1, 1, 1}, {7});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Integers pads(6, 0);
    pads[axis] = 1;
    Attributes attributes{{"kernel_shape", Integers{1, 1, 1}}, {"pads", pads}};
    for (const char* op : {"AveragePool", "MaxPool"})
      EXPECT_THAT(refusal(op, {x}, attributes),
                  HasSubstr("a window lies wholly in the padding, where the operator is not defined"))
          << op << axis;
    EXPECT_THAT(only("LpPool", {x}, attributes).data, ElementsAre(0, 7)) << axis;
    attributes["count_include_pad"] = std::int64_t{1};
    EXPECT_THAT(only("AveragePool", {x}, attributes).data, ElementsAre(0, 7)) << axis;
  }
}

/// With ceil_mode the last window has one tap in the padding and one behind it.
TEST(PoolingWindows, TapsBehindThePaddingAreNotCounted) {
  const Tensor x = reals({1, 1, 3}, {3, 6, 12});
  const Attributes attributes{{"kernel_shape", Integers{3}},
                              {"strides", Integers{2}},
                              {"pads", Integers{0, 1}},
                              {"ceil_mode", std::int64_t{1}},
                              {"count_include_pad", std::int64_t{1}}};
  EXPECT_THAT(only("AveragePool", {x}, attributes).data, ElementsAre(7, 6)) << "12 and one zero: two taps";
}

TEST(PoolingOfMaps, EveryChannelOfEveryBatchByItself) {
  const Tensor x = reals({2, 2, 2, 2}, {3, 4, 0, 1, -1, -2, -3, -6, 0, 0, 0, 2, 1, -1, 1, -1});
  const auto expect = [&](const char* op, const Attributes& attributes, const std::vector<double>& expected) {
    const Tensor made = only(op, {x}, attributes);
    EXPECT_THAT(made.shape, ElementsAre(2, 2, 1, 1)) << op;
    EXPECT_THAT(made.data, near(expected)) << op;
  };
  expect("GlobalAveragePool", {}, {2, -3, 0.5, 0});
  expect("GlobalMaxPool", {}, {4, -1, 2, 1});
  expect("GlobalLpPool", {}, {std::sqrt(26.0), std::sqrt(50.0), 2, 2});
  expect("GlobalLpPool", {{"p", std::int64_t{1}}}, {8, 12, 2, 4});
  expect("GlobalLpPool", {{"p", std::int64_t{3}}}, {std::cbrt(92.0), std::cbrt(252.0), 2, std::cbrt(4.0)});
}

TEST(PoolingOfMaps, NeedAMapWithElements) {
  for (const char* op : {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"}) {
    EXPECT_THAT(refusal(op, {reals({1, 2}, {1, 2})}), HasSubstr("an input of shape [1, 2] has no map")) << op;
    EXPECT_THAT(refusal(op, {reals({1, 2, 0}, {})}), HasSubstr("a map without elements cannot be pooled")) << op;
    EXPECT_THAT(only(op, {reals({1, 2, 1}, {1, 2})}).data, ElementsAre(1, 2)) << op;
  }
}

TEST(PoolingOfMaps, OrdersOfNormsAreBounded) {
  const Tensor x = reals({1, 1, 2}, {1, 0});
  const auto order = [](std::int64_t p) { return Attributes{{"p", p}}; };
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  EXPECT_THAT(only("GlobalLpPool", {x}, order(kMost)).data, ElementsAre(1));
  EXPECT_THAT(refusal("GlobalLpPool", {x}, order(kMost + 1)),
              HasSubstr("'p' holds 2147483649, outside [1, 2147483648]"));
  EXPECT_THAT(refusal("GlobalLpPool", {x}, order(0)), HasSubstr("'p' holds 0, outside [1, 2147483648]"));
  EXPECT_THAT(refusal("MaxPool", {x}, {{"kernel_shape", Integers{0}}}), HasSubstr("kernel_shape"));
  EXPECT_THAT(refusal("MaxPool", {x}), HasSubstr("attribute 'kernel_shape' is missing"));
}

}  // namespace
}  // namespace tacit::graph::reference
