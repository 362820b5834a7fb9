#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "scheme/ckks/decryptor.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "scheme/ckks/evaluator.h"
#include "scheme/ckks/keys.h"

/// A whole party for tests: context, keys and actors of one parameter set.
namespace tacit::scheme::ckks::testing {

inline params::CkksLiteral small_literal(int log_n = 10, int levels = 4, int special = 2) {
  params::CkksLiteral literal{
      .name = "test", .log_n = log_n, .q_bits = {50}, .p_bits = {}, .log_scale = 40, .insecure = true};
  for (int i = 0; i < levels; ++i) literal.q_bits.push_back(40);
  for (int i = 0; i < special; ++i) literal.p_bits.push_back(50);
  return literal;
}

struct Party {
  explicit Party(const params::CkksLiteral& literal, const params::KeyManifest& manifest = {})
      : context(Context::make(params::CkksParameters::check(literal))),
        encoder(context),
        generator(context),
        secret(generator.secret_key()),
        public_key(generator.public_key(secret)),
        keys(std::make_shared<const EvaluationKeys>(generator.evaluation_keys(secret, manifest))),
        encryptor(context, public_key),
        symmetric(context, secret),
        decryptor(context, secret),
        evaluator(context, keys) {}

  std::size_t slots() const { return context->parameters().slots(); }
  double scale() const { return context->parameters().scale(); }
  int top() const { return context->parameters().max_level(); }
  std::vector<double> random(std::uint64_t seed, double bound = 1) const {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> uniform(-bound, bound);
    std::vector<double> values(slots());
    for (double& v : values) v = uniform(engine);
    return values;
  }
  Ciphertext encrypt(std::span<const double> values, int level, double at_scale) const {
    return symmetric.encrypt(encoder.encode(values, level, at_scale));
  }
  Ciphertext encrypt(std::span<const double> values) const { return encrypt(values, top(), scale()); }
  std::vector<std::complex<double>> decrypt_complex(const Ciphertext& c) const { return decryptor.exact_slots(c); }
  std::vector<double> decrypt(const Ciphertext& c) const {
    std::vector<double> values;
    for (const auto& z : decrypt_complex(c)) values.push_back(z.real());
    return values;
  }

  ContextPtr context;
  Encoder encoder;
  KeyGenerator generator;
  SecretKey secret;
  PublicKey public_key;
  std::shared_ptr<const EvaluationKeys> keys;
  Encryptor encryptor, symmetric;
  Decryptor decryptor;
  Evaluator evaluator;
};

/// The largest error of a computation at the scale of `small_literal`.
inline constexpr double kPrecision = 1e-6;

/// Returns the root mean square of the differences.
inline double deviation(std::span<const double> got, std::span<const double> expected) {
  double sum = 0;
  for (std::size_t i = 0; i < got.size(); ++i) sum += (got[i] - expected[i]) * (got[i] - expected[i]);
  return std::sqrt(sum / static_cast<double>(got.size()));
}

inline double max_error(std::span<const double> a, std::span<const double> b) {
  double worst = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    worst = std::isfinite(a[i]) ? std::max(worst, std::abs(a[i] - b[i])) : INFINITY;
  return worst;
}

inline std::vector<double> rotated(std::span<const double> values, std::int64_t steps) {
  const auto n = static_cast<std::int64_t>(values.size());
  std::vector<double> result(values.size());
  for (std::int64_t k = 0; k < n; ++k)
    result[static_cast<std::size_t>(k)] = values[static_cast<std::size_t>(((k + steps) % n + n) % n)];
  return result;
}

/// A manifest with every key at one level.
inline params::KeyManifest manifest(int level, std::span<const std::int64_t> rotations) {
  params::KeyManifest result{.relinearise_level = level, .conjugate_level = level, .rotations = {}};
  for (const std::int64_t r : rotations) result.rotations[r] = level;
  return result;
}

/// The same without the key of conjugations.
inline params::KeyManifest manifest_without_conjugation(int level, const std::vector<std::int64_t>& rotations) {
  params::KeyManifest result = manifest(level, rotations);
  result.conjugate_level = -1;
  return result;
}

}  // namespace tacit::scheme::ckks::testing
