#include "search/score_noise.h"

#include <bit>
#include <cmath>

#include "params/search_set.h"

namespace tacit::search {

double integer_score_deviation(const params::CkksParameters& parameters, std::size_t dimensions, double largest_norm,
                               AnswerBits bits) {
  const auto n = static_cast<double>(parameters.n());
  const double expanded =
      params::expanded_coefficient_noise(parameters, static_cast<double>(std::bit_ceil(dimensions)));
  const double products = expanded * expanded * n * largest_norm * largest_norm;
  const double unit0 = std::ldexp(parameters.prime(0), -static_cast<int>(bits.c0));
  const double unit1 = std::ldexp(parameters.prime(0), -static_cast<int>(bits.c1));
  constexpr double kUniform = 1.0 / 12, kTernary = 2.0 / 3;
  return std::sqrt(products + kUniform * unit0 * unit0 + kUniform * unit1 * unit1 * kTernary * n);
}

}  // namespace tacit::search
