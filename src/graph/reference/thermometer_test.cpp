#include "graph/thermometer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "graph/reference/run.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor run(const char* op, std::map<std::string, Attribute> attributes, const Tensor& x) {
  const Tensor* const inputs[] = {&x};
  return evaluate(Graph{}, Node{op, "grid", {0}, {1}, std::move(attributes)}, inputs).at(0);
}

TEST(Thermometer, ABitSaysThatAFeatureLiesBeyondABorder) {
  const auto grid = thermometer_attributes({{0, 1, 2, 10, 20, 30}, {3, 0}, false});
  const Tensor bits = run(kThermometerOp, grid, {{1, 2}, {1, 25}, false});
  EXPECT_EQ(bits.shape, (Shape{1, 6}));
  EXPECT_THAT(bits.data, ElementsAre(1, 0, 0, 1, 1, 0));  // 1 is on a border, not beyond it
  EXPECT_THAT(run(kThermometerOp, grid, {{1, 2}, {kNaN, kNaN}, false}).data, ElementsAre(1, 1, 1, 0, 0, 0));
  EXPECT_THAT(run(kThermometerOp, grid, {{1, 2}, {-kInfinity, 1e300}, false}).data, ElementsAre(0, 0, 0, 1, 1, 1));
}

TEST(Thermometer, MissingValuesMayHaveABoxOfTheirOwn) {
  const auto grid = thermometer_attributes({{0, 1, 10, 20}, {3, 1}, false});
  const Tensor bits = run(kThermometerOp, grid, {{1, 2}, {2, 5}, false});
  EXPECT_EQ(bits.shape, (Shape{1, 6}));
  EXPECT_THAT(bits.data, ElementsAre(1, 1, 0, 0, 0, 0));
  EXPECT_THAT(run(kThermometerOp, grid, {{1, 2}, {kNaN, kNaN}, false}).data, ElementsAre(1, 1, 1, 1, 0, 0));
}

TEST(Thermometer, ComparesInTheFormatOfTheModel) {
  const double border = static_cast<double>(0.1F);
  const auto grid = [&](bool single) { return thermometer_attributes({{border}, {0}, single}); };
  EXPECT_THAT(run(kThermometerOp, grid(true), {{1, 1}, {border + 1e-12}, false}).data, ElementsAre(0));
  EXPECT_THAT(run(kThermometerOp, grid(false), {{1, 1}, {border + 1e-12}, false}).data, ElementsAre(1));
}

// Boxes 0 to 10 in digits of 4: box 6 is 1 * 4 + 2, and 10 is 2 * 4 + 2.
TEST(Thermometer, TwoDigitsSayTheSame) {
  std::vector<double> rising, points;
  for (int k = 0; k < 10; ++k) rising.push_back(k);
  for (int k = 0; k < 11; ++k) points.push_back(k - 0.5);
  const auto grid = thermometer_attributes({rising, {7}, false}, 4);
  EXPECT_THAT(run(kThermometerOp, grid, {{1, 1}, {5.5}, false}).data, ElementsAre(1, 0, 1, 1, 0));
  EXPECT_THAT(run(kThermometerOp, grid, {{1, 1}, {99}, false}).data, ElementsAre(1, 1, 1, 1, 0));
  EXPECT_THAT(run(kThermometerOp, grid, {{1, 1}, {kNaN}, false}).data, ElementsAre(1, 0, 1, 1, 1));
  for (const double x : points) {
    const Tensor bits = run(kThermometerOp, grid, {{1, 1}, {x}, false});
    EXPECT_EQ(run(kGridPointsOp, grid_points_attributes({1, 1}, points, 4), bits).data.at(0), x);
  }
}

// A comparison with each border, of the bits of each box.
TEST(Thermometer, AComparisonIsOneProductOfDigits) {
  for (const BoxBits form : {BoxBits{9, 0}, BoxBits{9, 3}, BoxBits{10, 4}, BoxBits{255, 16}})
    for (std::size_t box = 0; box <= form.borders; ++box) {
      std::vector<double> bits;
      form.append(box, bits);
      ASSERT_EQ(bits.size(), form.count());
      for (std::size_t k = 1; k <= form.borders; ++k) {
        const auto bit = form.bit_of(k);
        double beyond = bit ? bits[*bit] : 0;
        if (form.needs_product(k)) {
          const std::size_t a = k / form.digit;
          const double high = (a == 0 ? 1 : bits[a - 1]) - (a < form.high() ? bits[a] : 0);
          beyond += high * bits[form.high() + k % form.digit - 1];
        }
        EXPECT_EQ(beyond, box >= k ? 1 : 0) << box << ", " << k;
      }
    }
}

TEST(Thermometer, GridPointsUndoTheComparisonsUpToTheBox) {
  const std::vector<double> points{-1, 0.5, 1.5, kNaN, 5, 15, 25, 35};
  const auto attributes = grid_points_attributes({2, 1}, points);
  const Tensor features = run(kGridPointsOp, attributes, {{1, 6}, {1, 0, 0, 1, 1, 0}, false});
  EXPECT_EQ(features.shape, (Shape{2, 1}));
  EXPECT_THAT(features.data, ElementsAre(0.5, 25));
  EXPECT_TRUE(std::isnan(run(kGridPointsOp, attributes, {{1, 6}, {1, 1, 1, 0, 0, 0}, false}).data[0]));
}

TEST(Thermometer, RefusesAGridThatWasChanged) {
  const auto refuses = [](const integers::Borders& borders, const char* why) {
    EXPECT_THAT(
        [&] {
          run(kThermometerOp, thermometer_attributes(borders), {{1, 2}, {1, 2}, false});
        },
        ThrowsMessage<base::InputError>(AllOf(HasSubstr(why), HasSubstr("the grid was changed"))));
  };
  refuses({{0, 1, 2}, {0, 0}, false}, "its grid of 3 borders does not fit 2 features");
  refuses({{0, 1}, {0}, false}, "its grid of 2 borders does not fit 2 features");
  refuses({{}, {}, false}, "its grid of 0 borders does not fit 2 features");
  refuses({{0, 1, 3, 2}, {0, 0}, false}, "the grid of feature 1 does not rise");
  refuses({{0, kNaN, 2, 3}, {0, 0}, false}, "the grid of feature 0 does not rise");
  EXPECT_THAT(
      [] {
        run(kThermometerOp, thermometer_attributes({{0, 1}, {0}, false}, 3), {{1, 1}, {1}, false});
      },
      ThrowsMessage<base::InputError>(HasSubstr("its grid of 2 borders has digits of 3 boxes")));
  refuses({{0, 1, 2, 3}, {4, 0}, false}, "the grid of feature 0 does not rise, or its missing values");
}

}  // namespace
}  // namespace tacit::graph::reference
