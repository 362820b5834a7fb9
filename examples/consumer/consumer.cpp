// The average of salaries that the one who computes it cannot read.

#include <tacit/tacit.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  namespace ckks = tacit::ckks;
  const ckks::Context context(ckks::Parameters::named("N13-d4"));
  const ckks::KeyGenerator generator(context);
  const auto secret = generator.secret_key();

  const std::vector<double> thousands{31, 42, 28, 55};
  ckks::KeyRequest request;
  request.rotations = {1, 2};
  const ckks::Evaluator evaluator(context, generator.evaluation_keys(secret, request));
  auto sum = ckks::Encryptor(context, secret).encrypt(thousands);
  for (const std::int64_t steps : request.rotations) sum = evaluator.add(sum, evaluator.rotate(sum, steps));
  const double average = ckks::Decryptor(context, secret).decrypt(evaluator.multiply_scalar(sum, 0.25))[0];

  std::printf("average: %.2f thousand (Tacit %d.%d)\n", average, TACIT_VERSION_MAJOR, TACIT_VERSION_MINOR);
  return std::abs(average - 39) < 1e-2 ? 0 : 1;
}
