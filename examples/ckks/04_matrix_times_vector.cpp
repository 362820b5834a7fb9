// A 100 x 300 matrix times an encrypted vector, in one level.

#include <tacit/ckks.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  namespace ckks = tacit::ckks;
  const ckks::Context context(ckks::Parameters::named("N14-d7"));
  constexpr std::size_t kRows = 100, kColumns = 300;
  std::vector<double> matrix(kRows * kColumns), vector(kColumns);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = std::sin(0.37 * static_cast<double>(i));
  for (std::size_t i = 0; i < kColumns; ++i) vector[i] = std::cos(1.3 * static_cast<double>(i));

  // The transform is prepared once, for one level, and says which rotations it needs: a few dozen, not 399.
  // A low level makes it, and its keys, cheaper.
  const auto transform = ckks::LinearTransform::from_matrix(context, kRows, kColumns, matrix, 2);
  ckks::KeyRequest request;
  request.rotations = transform.rotations();
  request.level = transform.input_level();
  request.multiply = false;
  std::printf("rotations: %zu\n", request.rotations.size());

  const ckks::KeyGenerator generator(context);
  const auto secret = generator.secret_key();
  const ckks::Evaluator evaluator(context, generator.evaluation_keys(secret, request));
  const ckks::Encoder encoder(context);
  const auto hidden = ckks::Encryptor(context, secret).encrypt(encoder.encode(vector, transform.input_level()));
  const auto product = evaluator.apply(transform, hidden);
  const auto result = ckks::Decryptor(context, secret).decrypt(product);

  double worst = 0;
  for (std::size_t row = 0; row < result.size(); ++row) {
    double expected = 0;
    for (std::size_t i = 0; row < kRows && i < kColumns; ++i) expected += matrix[row * kColumns + i] * vector[i];
    worst = std::max(worst, std::abs(result[row] - expected));
  }
  std::printf("level %d -> %d, largest error %.1e\n", hidden.level(), product.level(), worst);
  return worst < 1e-4 && product.level() == 1 && request.rotations.size() < 100 ? 0 : 1;
}
