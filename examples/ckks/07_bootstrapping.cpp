// More products in a row than the parameters have levels: the logistic map, refreshed by bootstrapping.

#include <tacit/ckks.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  namespace ckks = tacit::ckks;
  // The chain of the set S8 on a ring that is too small to be secure, so that this takes seconds and not gigabytes. In
  // earnest: ckks::Parameters::named("S8").
  std::string literal = ckks::Parameters::named("S8").to_json();
  const auto replace = [&](const std::string& what, const std::string& by) {
    literal.replace(literal.find(what), what.size(), by);
  };
  replace("\"S8\"", "\"small S8\"");
  replace("\"log_n\":16", "\"log_n\":11");
  replace("\"insecure\":false", "\"insecure\":true");
  const auto parameters = ckks::Parameters::from_json(literal, tacit::InsecureParameters::allow);
  const ckks::Context context(parameters);
  const ckks::KeyGenerator generator(context);
  const auto secret = generator.secret_key();
  const ckks::Evaluator evaluator(context, generator.evaluation_keys(secret, {.bootstrap = true}));
  const ckks::Bootstrapping refresh(context);

  // x -> 1 - 1.2 x^2 keeps [-1, 1]. Each step squares: one level, and one for the factor.
  std::vector<double> x(parameters.slots());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
  const std::vector<double> one(x.size(), 1.0);
  auto hidden = ckks::Encryptor(context, secret).encrypt(ckks::Encoder(context).encode(x, refresh.output_level()));
  int bootstraps = 0;
  for (int step = 0; step < 12; ++step) {
    if (hidden.level() < refresh.input_level() + 3) {
      hidden = evaluator.bootstrap(refresh, hidden);
      ++bootstraps;
    }
    hidden = evaluator.add_plain(evaluator.multiply_scalar(evaluator.square(hidden), -1.2), one);
    for (double& value : x) value = 1 - 1.2 * value * value;
  }
  const auto values = ckks::Decryptor(context, secret).decrypt(hidden);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(values[i] - x[i]));
  std::printf("24 levels of products with %d bootstraps, largest error %.1e\n", bootstraps, worst);
  return worst < 1e-2 && bootstraps >= 2 ? 0 : 1;
}
