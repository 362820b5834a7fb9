#include "program/slots/chebyshev_series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace tacit::slots {
namespace {

/// sum of c_k cos(k arccos x).
double by_definition(const std::vector<double>& coefficients, double x) {
  double sum = 0;
  for (std::size_t k = 0; k < coefficients.size(); ++k)
    sum += coefficients[k] * std::cos(static_cast<double>(k) * std::acos(x));
  return sum;
}

TEST(ChebyshevSeries, IsTheSumOfItsTermsWhateverItsParity) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  for (const std::size_t degree : {0u, 1u, 2u, 3u, 8u, 31u, 58u, 126u})
    for (const bool even : {false, true}) {
      std::vector<double> coefficients(degree + 1), points(77);
      for (std::size_t k = 0; k <= degree; ++k) coefficients[k] = even && k % 2 == 1 && k > 1 ? 0 : number(random);
      for (double& x : points) x = number(random);
      std::vector<double> values = points;
      chebyshev_series_in_place(coefficients, values);
      for (std::size_t i = 0; i < points.size(); ++i)
        EXPECT_NEAR(values[i], by_definition(coefficients, points[i]), 1e-12) << degree << (even ? " even" : "");
    }
  std::vector<double> none{0.5};
  chebyshev_series_in_place({}, none);
  EXPECT_EQ(none[0], 0);
}

// Terms that are 1 or stand alone are no other than those that are not.
TEST(ChebyshevSeries, EveryTermCountsByItself) {
  const std::vector<double> points{-1, -0.75, -0.1, 0, 0.3, 1};
  for (std::size_t degree = 0; degree < 12; ++degree)
    for (const double factor : {1.0, -2.0}) {
      std::vector<double> coefficients(degree + 1), values = points;
      coefficients.back() = factor;
      chebyshev_series_in_place(coefficients, values);
      for (std::size_t i = 0; i < points.size(); ++i)
        EXPECT_NEAR(values[i], by_definition(coefficients, points[i]), 1e-12) << degree << " " << points[i];
    }
}

// Points are taken a few at a time, and no more than there are.
TEST(ChebyshevSeries, NumbersBesideThePointsStay) {
  const std::vector<double> constant{0.25}, even{0.25, 0, 0, 0};
  for (const std::vector<double>& coefficients : {constant, even})
    for (std::size_t count = 0; count <= 70; ++count) {
      std::vector<double> numbers(140, 7);
      chebyshev_series_in_place(coefficients, std::span(numbers).subspan(35, count));
      for (std::size_t i = 0; i < numbers.size(); ++i)
        EXPECT_EQ(numbers[i], i >= 35 && i < 35 + count ? 0.25 : 7) << count << " " << i;
    }
}

}  // namespace
}  // namespace tacit::slots
