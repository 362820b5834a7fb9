#include "scheme/ckks/keys.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/limb.h"
#include "ring/sampler.h"
#include "scheme/ckks/check.h"
#include "scheme/ckks/key_series.h"

namespace tacit::scheme::ckks {

namespace limb = ring::limb;

params::KeyManifest EvaluationKeys::manifest() const {
  params::KeyManifest result;
  if (relinearisation) result.relinearise_level = relinearisation->level();
  if (conjugation) result.conjugate_level = conjugation->key.level();
  for (const auto& [steps, key] : rotations) result.rotations[steps] = key.key.level();
  result.rotation_primes = rotation_primes;
  for (const auto& [steps, key] : raise.to_secret) result.raised_rotations[steps] = key.key.level();
  return result;
}

std::size_t EvaluationKeys::bytes() const {
  std::size_t sum = relinearisation ? relinearisation->bytes() : 0;
  if (conjugation) sum += conjugation->key.bytes();
  for (const auto& [steps, key] : rotations) sum += key.key.bytes();
  if (raise.to_ephemeral) sum += raise.to_ephemeral->bytes();
  for (const auto& [steps, key] : raise.to_secret) sum += key.key.bytes();
  return sum;
}

namespace {
void check_reach(int key_level, int level, const std::string& name, const char* operation) {
  if (key_level < 0) base::refuse("{}: the {} key is missing (needed at level {})", operation, name, level);
  if (key_level < level)
    base::refuse("{}: the {} key reaches up to level {}, but it is needed at level {}", operation, name, key_level,
                 level);
}
}  // namespace

const rlwe::SwitchingKey& EvaluationKeys::relinearise(int level, const char* operation) const {
  check_reach(relinearisation ? relinearisation->level() : -1, level, "relinearisation", operation);
  return *relinearisation;
}

const GaloisKey& EvaluationKeys::conjugate(int level, const char* operation) const {
  check_reach(conjugation ? conjugation->key.level() : -1, level, "conjugation", operation);
  return *conjugation;
}

const GaloisKey& EvaluationKeys::rotation(std::int64_t steps, int level, const char* operation) const {
  const auto it = rotations.find(steps);
  check_reach(it == rotations.end() ? -1 : it->second.key.level(), level, fmt::format("rotation-by-{}", steps),
              operation);
  return it->second;
}

const rlwe::SwitchingKey& EvaluationKeys::to_ephemeral(const char* operation) const {
  check_reach(raise.to_ephemeral ? 0 : -1, 0, "bootstrapping to-ephemeral", operation);
  return *raise.to_ephemeral;
}

const GaloisKey& EvaluationKeys::raised_rotation(std::int64_t steps, int level, const char* operation) const {
  const auto it = raise.to_secret.find(steps);
  check_reach(it == raise.to_secret.end() ? -1 : it->second.key.level(), level,
              fmt::format("bootstrapping rotation-by-{}", steps), operation);
  return it->second;
}

std::shared_ptr<const EvaluationKeys> EvaluationKeys::without(const Context& whole, const Context& part, int first,
                                                              int count) const {
  const auto shared_over = [&](const rlwe::ModulusChain& chain, const rlwe::ModulusChain& part_chain,
                               const rlwe::SwitchingKey& key) {
    return key.without(chain, part_chain, static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  };
  const auto shared = [&](const rlwe::SwitchingKey& key) { return shared_over(whole.chain(), part.chain(), key); };
  const auto above = [&](const rlwe::SwitchingKey& key) { return key.level() >= first + count; };
  auto result = std::make_shared<EvaluationKeys>();
  result->parameters = part.parameters().hash();
  if (relinearisation && above(*relinearisation)) result->relinearisation.emplace(shared(*relinearisation));
  if (conjugation && above(conjugation->key))
    result->conjugation = GaloisKey{shared(conjugation->key), conjugation->automorphism};
  for (const auto& [steps, key] : rotations)
    if (above(key.key)) result->rotations.emplace(steps, GaloisKey{shared(key.key), key.automorphism});
  result->raise.to_ephemeral = raise.to_ephemeral;
  for (const auto& [steps, key] : raise.to_secret)
    if (above(key.key))
      result->raise.to_secret.emplace(
          steps, GaloisKey{shared_over(whole.raising_chain(), part.raising_chain(), key.key), key.automorphism});
  return result;
}

KeyRandomness fresh_randomness() {
  base::Csprng errors = base::Csprng::from_system();
  return {base::public_seed(), std::move(errors)};
}

SecretKey KeyGenerator::secret_key() const {
  base::Csprng random = base::Csprng::from_system();
  base::SecretVector<std::int8_t> coefficients(context_->parameters().n());
  ring::sample_ternary(coefficients, random);
  return {context_->chain(), context_->parameters().hash(), coefficients};
}

PublicKey KeyGenerator::public_key(const SecretKey& secret) const {
  check_parameters(*context_, secret.parameters(), "public key", "secret key");
  const rlwe::ModulusChain& chain = context_->chain();
  const int top = chain.max_level();
  const std::size_t rows = chain.extended_rows(top);
  KeyRandomness random = randomness_ ? randomness_("public") : fresh_randomness();
  PublicKey key{.b = rlwe::sampled(chain, ring::sample_gaussian, random.errors, rlwe::extended_primes(chain, top)),
                .a = ring::NttPoly(chain.n(), rows),
                .seed = random.uniform,
                .parameters = context_->parameters().hash()};
  base::parallel_for(0, rows, [&](std::size_t row) {
    rlwe::uniform_row(chain, key.seed, 0, row).fill(0, key.a.limb_span(row));
    base::AlignedVector<std::uint64_t> product(chain.n());
    limb::multiply(product.data(), key.a.limb(row), secret.poly().limb(row), chain.n(), chain.modulus(row));
    limb::sub(key.b.limb(row), key.b.limb(row), product.data(), chain.n(), chain.modulus(row));
    base::zeroise(product.data(), chain.n() * sizeof(std::uint64_t));
  });
  return key;
}

EvaluationKeys KeyGenerator::evaluation_keys(const SecretKey& secret, const params::KeyManifest& manifest,
                                             base::Progress& progress) const {
  KeySeries series(context_, secret, manifest, randomness_);
  EvaluationKeys keys{.parameters = context_->parameters().hash(), .rotation_primes = manifest.rotation_primes};
  progress.begin("generating keys", series.steps());
  series.walk(
      [&](EvaluationKeys one) {
        if (one.relinearisation) keys.relinearisation = std::move(one.relinearisation);
        if (one.conjugation) keys.conjugation = std::move(one.conjugation);
        if (one.raise.to_ephemeral) keys.raise.to_ephemeral = std::move(one.raise.to_ephemeral);
        keys.rotations.merge(one.rotations);
        keys.raise.to_secret.merge(one.raise.to_secret);
      },
      progress);
  progress.end();
  return keys;
}

}  // namespace tacit::scheme::ckks
