#pragma once

#include <cmath>
#include <random>
#include <string_view>
#include <vector>

#include "scheme/tfhe/encryption.h"
#include "scheme/tfhe/evaluator.h"

/// A whole party for tests: context, keys and actors of one parameter set.
namespace tacit::scheme::tfhe::testing {

struct Party {
  explicit Party(const params::TfheLiteral& literal)
      : context(Context::make(params::TfheParameters::check(literal))),
        secret(SecretKey::generate(*context)),
        seeded(SeededEvaluationKeys::generate(*context, secret)),
        evaluator(context, seeded),
        encryptor(context, secret),
        decryptor(context, secret) {}
  explicit Party(std::string_view name) : Party(params::named_tfhe_literal(name)) {}

  int bits() const { return context->parameters().bits(); }
  std::int64_t messages() const { return std::int64_t{1} << bits(); }

  ContextPtr context;
  SecretKey secret;
  SeededEvaluationKeys seeded;
  Evaluator evaluator;
  Encryptor encryptor;
  Decryptor decryptor;
};

/// Small and insecure, with every feature: two tables at once, an extension of 2, two levels. Fails with 2^-20 at most.
inline params::TfheLiteral small_literal() {
  return {.name = "test",
          .bits = 2,
          .norm2 = 2,
          .lwe_dimension = 100,
          .glwe_dimension = 2,
          .log_polynomial = 8,
          .log_extension = 1,
          .lwe_noise_bits = 12,
          .glwe_noise_bits = 20,
          .bootstrap = {.base_log = 10, .levels = 2},
          .key_switch = {.base_log = 4, .levels = 4},
          .log_tables = 2,
          .log2_failure = -20,
          .insecure = true};
}

/// a - b on the torus, in turns.
inline double difference(Torus a, Torus b) {
  return std::ldexp(static_cast<double>(static_cast<std::int64_t>(a - b)), -64);
}

inline double mean_square(const std::vector<double>& errors) {
  double sum = 0;
  for (const double error : errors) sum += error * error;
  return sum / static_cast<double>(errors.size());
}

/// How far a mean square of so many normal errors may be from their variance, as a share of it: five deviations of the
/// chi-square distribution.
inline double chi_square_interval(std::size_t samples) { return 5 * std::sqrt(2.0 / static_cast<double>(samples)); }

}  // namespace tacit::scheme::tfhe::testing
