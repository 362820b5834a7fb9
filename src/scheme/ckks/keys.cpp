#include "scheme/ckks/keys.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/automorphism.h"
#include "ring/limb.h"
#include "ring/sampler.h"
#include "scheme/ckks/check.h"

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

KeyRandomness fresh_randomness(const std::string&) {
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
  KeyRandomness random = randomness_("public");
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

GaloisKey KeyGenerator::galois_key(const rlwe::ModulusChain& chain, const SecretKey& from, const SecretKey& secret,
                                   std::uint64_t element, int level, KeyRandomness randomness) {
  const std::size_t n = chain.n();
  const rlwe::Automorphism backwards(ring::inverse_element(element, n, chain.kind()), n, chain.kind());
  ring::SecretNttPoly target(n, chain.primes());
  base::parallel_for(0, target.limbs(),
                     [&](std::size_t row) { backwards.apply_run(target.limb(row), secret.poly().limb_span(row), 0); });
  return {.key = rlwe::SwitchingKey::generate(chain, from.poly(), target, level, randomness.uniform, randomness.errors),
          .automorphism = rlwe::Automorphism(element, n, chain.kind())};
}

RaiseKeys KeyGenerator::raise_keys(const SecretKey& secret, const std::map<std::int64_t, int>& rotations,
                                   base::Progress& progress) const {
  const rlwe::ModulusChain& chain = context_->raising_chain();
  const rlwe::ModulusChain& small = *context_->ephemeral_chain();
  const params::ParameterHash& hash = context_->parameters().hash();
  base::Csprng random = base::Csprng::from_system();
  base::SecretVector<std::int8_t> coefficients(chain.n());
  ring::sample_sparse(coefficients, context_->parameters().literal().bootstrap->ephemeral_weight, random);
  const SecretKey ephemeral(chain, hash, coefficients), ephemeral_small(small, hash, coefficients);
  const SecretKey secret_small(small, hash, secret.coefficients());
  RaiseKeys result{.to_ephemeral = rlwe::SwitchingKey::generate(small, secret_small.poly(), ephemeral_small.poly(), 0),
                   .to_secret = {}};
  for (const auto& [steps, level] : rotations) {
    result.to_secret.emplace(
        steps, galois_key(chain, ephemeral, secret, ring::rotation_element(steps, chain.n(), chain.kind()), level,
                          fresh_randomness({})));
    progress.advance();
  }
  return result;
}

EvaluationKeys KeyGenerator::evaluation_keys(const SecretKey& secret, const params::KeyManifest& manifest,
                                             base::Progress& progress) const {
  check_parameters(*context_, secret.parameters(), "evaluation keys", "secret key");
  const rlwe::ModulusChain& chain = context_->chain();
  const auto slots = static_cast<std::int64_t>(context_->parameters().slots());
  if (manifest.relinearise_level >= 0) check_level(*context_, manifest.relinearise_level, "relinearisation key");
  if (manifest.conjugate_level >= 0) {
    check_level(*context_, manifest.conjugate_level, "conjugation key");
    if (context_->parameters().real_slots())
      base::refuse(
          "conjugation key: the parameter set '{}' has real slots, which conjugation leaves alone; use one "
          "with complex slots",
          context_->parameters().literal().name);
  }
  const auto check_rotation = [&](const char* key, std::int64_t steps, std::int64_t least, int level) {
    check_level(*context_, level, key);
    if (steps < least || steps >= slots)
      base::refuse("{}: {} steps are outside {} to {}", key, steps, least, slots - 1);
  };
  for (const auto& [steps, level] : manifest.raised_rotations) check_rotation("bootstrapping key", steps, 0, level);
  if (!manifest.raised_rotations.empty() && context_->ephemeral_chain() == nullptr)
    base::refuse("bootstrapping key: the parameter set '{}' is leveled; use one that bootstraps",
                 context_->parameters().literal().name);
  if (const auto top = manifest.rotation_primes.top) check_level(*context_, *top, "rotation keys");
  for (const auto& [steps, level] : manifest.rotations) {
    check_rotation("rotation key", steps, 1, level);
    if (const auto top = manifest.rotation_primes.top; top && level > *top)
      base::refuse(
          "rotation key: one by {} steps is wanted at level {}, and the primes above level {} shall serve "
          "as special ones",
          steps, level, *top);
  }
  progress.begin("generating keys", manifest.rotations.size() + manifest.raised_rotations.size());
  EvaluationKeys keys{.parameters = context_->parameters().hash(), .rotation_primes = manifest.rotation_primes};
  if (manifest.relinearise_level >= 0) {
    ring::SecretNttPoly square(chain.n(), secret.poly().limbs());
    base::parallel_for(0, square.limbs(), [&](std::size_t row) {
      limb::multiply(square.limb(row), secret.poly().limb(row), secret.poly().limb(row), chain.n(), chain.modulus(row));
    });
    KeyRandomness random = randomness_("relinearisation");
    keys.relinearisation.emplace(rlwe::SwitchingKey::generate(
        context_->product_chain(), square, secret.poly(), manifest.relinearise_level, random.uniform, random.errors));
  }
  if (manifest.conjugate_level >= 0)
    keys.conjugation.emplace(galois_key(chain, secret, secret, ring::conjugation_element(chain.n()),
                                        manifest.conjugate_level, randomness_("conjugation")));
  const rlwe::ModulusChain& rotating = context_->rotation_chain(manifest.rotation_primes);
  std::optional<SecretKey> arranged;  // the secret's rows in the order of these primes
  if (&rotating != &chain && !manifest.rotations.empty())
    arranged.emplace(rotating, context_->parameters().hash(), secret.coefficients());
  const SecretKey& rotated = arranged ? *arranged : secret;
  for (const auto& [steps, level] : manifest.rotations) {
    keys.rotations.emplace(
        steps, galois_key(rotating, rotated, rotated, ring::rotation_element(steps, chain.n(), chain.kind()), level,
                          randomness_("rotation " + std::to_string(steps))));
    progress.advance();
  }
  if (!manifest.raised_rotations.empty()) keys.raise = raise_keys(secret, manifest.raised_rotations, progress);
  progress.end();
  return keys;
}

}  // namespace tacit::scheme::ckks
