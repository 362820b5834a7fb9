#include "scheme/ckks/keys.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/automorphism.h"
#include "ring/limb.h"
#include "ring/sampler.h"
#include "scheme/ckks/check.h"
#include "scheme/rlwe/ephemeral_secret.h"

namespace tacit::scheme::ckks {

namespace limb = ring::limb;

EvaluationKeys::EvaluationKeys(const params::ParameterHash& parameters, std::optional<rlwe::SwitchingKey> relinearise,
                               std::optional<GaloisKey> conjugate, std::map<std::int64_t, GaloisKey> rotations,
                               std::optional<RaiseKeys> raise, const params::RotationPrimes& rotation_primes)
    : parameters_(parameters),
      relinearise_(std::move(relinearise)),
      conjugate_(std::move(conjugate)),
      rotations_(std::move(rotations)),
      raise_(std::move(raise)),
      rotation_primes_(rotation_primes) {}

params::KeyManifest EvaluationKeys::manifest() const {
  params::KeyManifest result;
  if (relinearise_) result.relinearise_level = relinearise_->level();
  if (conjugate_) result.conjugate_level = conjugate_->key.level();
  for (const auto& [steps, key] : rotations_) result.rotations[steps] = key.key.level();
  result.rotation_primes = rotation_primes_;
  if (raise_) result.raise_level = raise_->to_secret.level();
  return result;
}

std::size_t EvaluationKeys::bytes() const {
  std::size_t sum = relinearise_ ? relinearise_->bytes() : 0;
  if (conjugate_) sum += conjugate_->key.bytes();
  for (const auto& [steps, key] : rotations_) sum += key.key.bytes();
  if (raise_) sum += raise_->to_ephemeral.bytes() + raise_->to_secret.bytes();
  return sum;
}

namespace {
void check_reach(int key_level, int level, const std::string& name) {
  if (key_level < 0) throw base::InputError(fmt::format("the {} key is missing (needed at level {})", name, level));
  if (key_level < level)
    throw base::InputError(
        fmt::format("the {} key reaches up to level {}, but it is needed at level {}", name, key_level, level));
}
}  // namespace

const rlwe::SwitchingKey& EvaluationKeys::relinearise(int level) const {
  check_reach(relinearise_ ? relinearise_->level() : -1, level, "relinearisation");
  return *relinearise_;
}

const GaloisKey& EvaluationKeys::conjugate(int level) const {
  check_reach(conjugate_ ? conjugate_->key.level() : -1, level, "conjugation");
  return *conjugate_;
}

const GaloisKey& EvaluationKeys::rotation(std::int64_t steps, int level) const {
  const auto it = rotations_.find(steps);
  check_reach(it == rotations_.end() ? -1 : it->second.key.level(), level, fmt::format("rotation-by-{}", steps));
  return it->second;
}

const RaiseKeys& EvaluationKeys::raise(int level) const {
  check_reach(raise_ ? raise_->to_secret.level() : -1, level, "bootstrapping");
  return *raise_;
}

std::shared_ptr<const EvaluationKeys> EvaluationKeys::without(const Context& whole, const Context& part, int first,
                                                              int count) const {
  const auto shared = [&](const rlwe::SwitchingKey& key) {
    return key.without(whole.chain(), part.chain(), static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  };
  const auto above = [&](const rlwe::SwitchingKey& key) { return key.level() >= first + count; };
  std::optional<rlwe::SwitchingKey> relinearise;
  if (relinearise_ && above(*relinearise_)) relinearise.emplace(shared(*relinearise_));
  std::optional<GaloisKey> conjugate;
  if (conjugate_ && above(conjugate_->key)) conjugate = GaloisKey{shared(conjugate_->key), conjugate_->automorphism};
  std::map<std::int64_t, GaloisKey> rotations;
  for (const auto& [steps, key] : rotations_)
    if (above(key.key)) rotations.emplace(steps, GaloisKey{shared(key.key), key.automorphism});
  std::optional<RaiseKeys> raise;
  if (raise_ && above(raise_->to_secret)) raise = RaiseKeys{raise_->to_ephemeral, shared(raise_->to_secret)};
  return std::make_shared<const EvaluationKeys>(part.parameters().hash(), std::move(relinearise), std::move(conjugate),
                                                std::move(rotations), std::move(raise));
}

KeyGenerator::KeyGenerator(ContextPtr context) : context_(std::move(context)) {}

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
  base::Csprng random = base::Csprng::from_system();
  std::vector<std::int8_t> error(chain.n());
  ring::sample_gaussian(error, random);
  PublicKey key{.b = rlwe::small_to_ntt(chain, error, rlwe::extended_primes(chain, top)),
                .a = ring::NttPoly(chain.n(), rows),
                .seed = base::public_seed(),
                .parameters = context_->parameters().hash()};
  base::zeroise(error.data(), error.size());
  base::parallel_for(0, rows, [&](std::size_t row) {
    rlwe::uniform_row(chain, key.seed, 0, row).fill(0, key.a.limb_span(row));
    base::AlignedVector<std::uint64_t> product(chain.n());
    limb::multiply(product.data(), key.a.limb(row), secret.poly().limb(row), chain.n(), chain.modulus(row));
    limb::sub(key.b.limb(row), key.b.limb(row), product.data(), chain.n(), chain.modulus(row));
    base::zeroise(product.data(), chain.n() * sizeof(std::uint64_t));
  });
  return key;
}

GaloisKey KeyGenerator::galois_key(const rlwe::ModulusChain& chain, const SecretKey& secret, std::uint64_t element,
                                   int level) const {
  const std::size_t n = chain.n();
  const rlwe::Automorphism backwards(ring::inverse_element(element, n, chain.kind()), n, chain.kind());
  ring::SecretNttPoly target(n, secret.poly().limbs());
  base::parallel_for(0, target.limbs(),
                     [&](std::size_t row) { backwards.apply_run(target.limb(row), secret.poly().limb_span(row), 0); });
  return {.key = rlwe::SwitchingKey::generate(chain, secret.poly(), target, level),
          .automorphism = rlwe::Automorphism(element, n, chain.kind())};
}

RaiseKeys KeyGenerator::raise_keys(const SecretKey& secret, int level) const {
  const rlwe::ModulusChain& chain = context_->chain();
  const rlwe::ModulusChain& small = *context_->ephemeral_chain();
  const params::ParameterHash& hash = context_->parameters().hash();
  base::Csprng random = base::Csprng::from_system();
  const base::SecretVector<std::int8_t> coefficients =
      rlwe::sample_ephemeral_secret(chain.n(), context_->parameters().literal().bootstrap->ephemeral_weight, random);
  const SecretKey ephemeral(chain, hash, coefficients), ephemeral_small(small, hash, coefficients);
  const SecretKey secret_small(small, hash, secret.coefficients());
  return {.to_ephemeral = rlwe::SwitchingKey::generate(small, secret_small.poly(), ephemeral_small.poly(), 0),
          .to_secret = rlwe::SwitchingKey::generate(chain, ephemeral.poly(), secret.poly(), level)};
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
      throw base::InputError(
          fmt::format("conjugation key: the parameter set '{}' has real slots, which conjugation "
                      "leaves alone; use one with complex slots",
                      context_->parameters().literal().name));
  }
  if (manifest.raise_level >= 0) {
    check_level(*context_, manifest.raise_level, "bootstrapping key");
    if (context_->ephemeral_chain() == nullptr)
      throw base::InputError(
          fmt::format("bootstrapping key: the parameter set '{}' is leveled; use one that bootstraps",
                      context_->parameters().literal().name));
  }
  if (const auto top = manifest.rotation_primes.top) check_level(*context_, *top, "rotation keys");
  for (const auto& [steps, level] : manifest.rotations) {
    check_level(*context_, level, "rotation key");
    if (steps < 1 || steps >= slots)
      throw base::InputError(fmt::format("rotation key: {} steps are outside 1 to {}", steps, slots - 1));
    if (const auto top = manifest.rotation_primes.top; top && level > *top)
      throw base::InputError(
          fmt::format("rotation key: one by {} steps is wanted at level {}, and the primes above level "
                      "{} shall serve as special ones",
                      steps, level, *top));
  }
  progress.begin("generating keys", manifest.rotations.size());
  std::optional<rlwe::SwitchingKey> relinearise;
  if (manifest.relinearise_level >= 0) {
    ring::SecretNttPoly square(chain.n(), secret.poly().limbs());
    base::parallel_for(0, square.limbs(), [&](std::size_t row) {
      limb::multiply(square.limb(row), secret.poly().limb(row), secret.poly().limb(row), chain.n(), chain.modulus(row));
    });
    relinearise.emplace(
        rlwe::SwitchingKey::generate(context_->product_chain(), square, secret.poly(), manifest.relinearise_level));
  }
  std::optional<GaloisKey> conjugate;
  if (manifest.conjugate_level >= 0)
    conjugate.emplace(galois_key(chain, secret, ring::conjugation_element(chain.n()), manifest.conjugate_level));
  std::map<std::int64_t, GaloisKey> rotations;
  const rlwe::ModulusChain& rotating = context_->rotation_chain(manifest.rotation_primes);
  std::optional<SecretKey> arranged;  // the secret's rows in the order of these primes
  if (&rotating != &chain && !manifest.rotations.empty())
    arranged.emplace(rotating, context_->parameters().hash(), secret.coefficients());
  for (const auto& [steps, level] : manifest.rotations) {
    rotations.emplace(steps, galois_key(rotating, arranged ? *arranged : secret,
                                        ring::rotation_element(steps, chain.n(), chain.kind()), level));
    progress.advance();
  }
  std::optional<RaiseKeys> raise;
  if (manifest.raise_level >= 0) raise.emplace(raise_keys(secret, manifest.raise_level));
  progress.end();
  return {context_->parameters().hash(), std::move(relinearise), std::move(conjugate),
          std::move(rotations),          std::move(raise),       manifest.rotation_primes};
}

}  // namespace tacit::scheme::ckks
