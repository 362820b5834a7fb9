// Slots meet through rotations: an inner product, and a moving average over a time series.

#include <tacit/ckks.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  namespace ckks = tacit::ckks;
  const ckks::Context context(ckks::Parameters::named("N13-d4"));
  const std::size_t slots = context.parameters().slots();
  const ckks::KeyGenerator generator(context);
  const auto secret = generator.secret_key();

  // A key for every power of two lets sum_slots add all slots up; the moving average uses steps 1 to 4.
  ckks::KeyRequest request;
  for (std::size_t step = 1; step < slots; step *= 2) request.rotations.push_back(static_cast<std::int64_t>(step));
  request.rotations.push_back(3);
  const ckks::Evaluator evaluator(context, generator.evaluation_keys(secret, request));
  const ckks::Encryptor encryptor(context, secret);
  const ckks::Decryptor decryptor(context, secret);

  std::vector<double> a(slots), b(slots);
  for (std::size_t i = 0; i < slots; ++i) {
    a[i] = std::cos(0.003 * static_cast<double>(i));
    b[i] = 1.0 / (1.0 + static_cast<double>(i));
  }

  const auto inner = evaluator.sum_slots(evaluator.multiply(encryptor.encrypt(a), encryptor.encrypt(b)));
  const double expected = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  const double inner_error = std::abs(decryptor.decrypt(inner)[0] - expected);
  std::printf("inner product: expected %.6f, error %.1e\n", expected, inner_error);

  // Rotations of one ciphertext share most of their work when they are asked for together.
  const auto series = encryptor.encrypt(a);
  const std::vector<std::int64_t> steps{1, 2, 3, 4};
  auto sum = series;
  for (const auto& rotated : evaluator.rotate(series, steps)) sum = evaluator.add(sum, rotated);
  const auto average = decryptor.decrypt(evaluator.multiply_scalar(sum, 0.2));

  double worst = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    double mean = 0;
    for (std::size_t k = 0; k < 5; ++k) mean += a[(i + k) % slots] / 5;
    worst = std::max(worst, std::abs(average[i] - mean));
  }
  std::printf("moving average: largest error %.1e\n", worst);
  return inner_error < 1e-2 && worst < 1e-4 ? 0 : 1;
}
