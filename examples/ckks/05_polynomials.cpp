// The sigmoid on [-8, 8], as a Chebyshev series of degree 31.

#include <tacit/ckks.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Coefficients of the polynomial that meets f(range * x) in the zeros of T_(degree + 1).
std::vector<double> chebyshev_coefficients(double (*f)(double), double range, int degree) {
  const int points = degree + 1;
  std::vector<double> coefficients(static_cast<std::size_t>(points));
  for (int k = 0; k < points; ++k) {
    double sum = 0;
    for (int j = 0; j < points; ++j) {
      const double angle = std::numbers::pi * (j + 0.5) / points;
      sum += f(range * std::cos(angle)) * std::cos(k * angle);
    }
    coefficients[static_cast<std::size_t>(k)] = sum * (k == 0 ? 1.0 : 2.0) / points;
  }
  return coefficients;
}

}  // namespace

int main() {
  namespace ckks = tacit::ckks;
  const ckks::Context context(ckks::Parameters::named("N14-d7"));
  const ckks::KeyGenerator generator(context);
  const auto secret = generator.secret_key();
  const ckks::Evaluator evaluator(context, generator.evaluation_keys(secret));

  constexpr double kRange = 8;
  std::vector<double> x(context.parameters().slots());
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = kRange * (2 * static_cast<double>(i) / static_cast<double>(x.size() - 1) - 1);

  // The series lives on [-1, 1]: the product with 1/8 costs one level, 32 coefficients cost five.
  const auto hidden = ckks::Encryptor(context, secret).encrypt(x);
  const auto scaled = evaluator.multiply_scalar(hidden, 1 / kRange);
  const auto result = evaluator.polynomial(scaled, chebyshev_coefficients(sigmoid, kRange, 31));

  const auto values = ckks::Decryptor(context, secret).decrypt(result);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(values[i] - sigmoid(x[i])));
  std::printf("level %d -> %d, largest error %.1e\n", hidden.level(), result.level(), worst);
  return worst < 1e-4 && hidden.level() - result.level() == 6 ? 0 : 1;
}
