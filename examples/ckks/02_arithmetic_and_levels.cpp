// x^2 y + 3 x - 1 on every slot, and how products spend levels.

#include <tacit/ckks.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  namespace ckks = tacit::ckks;
  const ckks::Context context(ckks::Parameters::named("N14-d7"));
  const ckks::KeyGenerator generator(context);
  const auto secret = generator.secret_key();
  const ckks::Evaluator evaluator(context, generator.evaluation_keys(secret));  // by default: able to multiply
  const ckks::Encryptor encryptor(context, secret);

  const std::vector<double> x{0.5, -1.25, 2.0, 0.1}, y{1.0, 0.5, -0.75, 3.0};
  const auto hidden_x = encryptor.encrypt(x), hidden_y = encryptor.encrypt(y);

  // Each product costs a level and changes the scale a little, because no prime is exactly the scale.
  const auto square = evaluator.square(hidden_x);
  const auto product = evaluator.multiply(square, hidden_y);  // hidden_y is brought down to the level of the square
  std::printf("levels: x %d, x^2 %d, x^2 y %d; scale of x^2 y: 2^%.6f\n", hidden_x.level(), square.level(),
              product.level(), std::log2(product.scale()));

  // Sums cost nothing. Their operands must agree in level and scale: the fresher one is adjusted to the other.
  auto sum = evaluator.add(product, evaluator.multiply_scalar(hidden_x, 3.0));
  sum = evaluator.add_plain(sum, std::vector<double>(x.size(), -1.0));

  const auto result = ckks::Decryptor(context, secret).decrypt(sum);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = x[i] * x[i] * y[i] + 3 * x[i] - 1;
    std::printf("  %9.6f  (expected %9.6f)\n", result[i], expected);
    worst = std::max(worst, std::abs(result[i] - expected));
  }
  std::printf("level left: %d, largest error %.1e\n", sum.level(), worst);
  return worst < 1e-6 && sum.level() == context.parameters().max_level() - 2 ? 0 : 1;
}
