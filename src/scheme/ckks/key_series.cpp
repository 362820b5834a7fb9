#include "scheme/ckks/key_series.h"

#include <string>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "ring/automorphism.h"
#include "ring/limb.h"
#include "ring/sampler.h"
#include "scheme/ckks/check.h"

namespace tacit::scheme::ckks {
namespace {

/// Refuses keys that the parameter set has no room for.
void check_manifest(const Context& context, const params::KeyManifest& manifest) {
  const auto slots = static_cast<std::int64_t>(context.parameters().slots());
  const std::string& set = context.parameters().literal().name;
  if (manifest.relinearise_level >= 0) check_level(context, manifest.relinearise_level, "relinearisation key");
  if (manifest.conjugate_level >= 0) {
    check_level(context, manifest.conjugate_level, "conjugation key");
    if (context.parameters().real_slots())
      base::refuse(
          "conjugation key: the parameter set '{}' has real slots, which conjugation leaves alone; use one "
          "with complex slots",
          set);
  }
  const auto check_rotation = [&](const char* key, std::int64_t steps, std::int64_t least, int level) {
    check_level(context, level, key);
    if (steps < least || steps >= slots)
      base::refuse("{}: {} steps are outside {} to {}", key, steps, least, slots - 1);
  };
  for (const auto& [steps, level] : manifest.raised_rotations) check_rotation("bootstrapping key", steps, 0, level);
  if (!manifest.raised_rotations.empty() && context.ephemeral_chain() == nullptr)
    base::refuse("bootstrapping key: the parameter set '{}' is leveled; use one that bootstraps", set);
  if (const auto top = manifest.rotation_primes.top) check_level(context, *top, "rotation keys");
  for (const auto& [steps, level] : manifest.rotations) {
    check_rotation("rotation key", steps, 1, level);
    if (const auto top = manifest.rotation_primes.top; top && level > *top)
      base::refuse(
          "rotation key: one by {} steps is wanted at level {}, and the primes above level {} shall serve "
          "as special ones",
          steps, level, *top);
  }
}

}  // namespace

KeySeries::KeySeries(ContextPtr context, const SecretKey& secret, const params::KeyManifest& manifest,
                     RandomnessOfKey randomness)
    : context_(std::move(context)), secret_(secret), manifest_(manifest), randomness_(std::move(randomness)) {
  check_parameters(*context_, secret.parameters(), "evaluation keys", "secret key");
  check_manifest(*context_, manifest);
  // Room for the relinearisation key, the conjugation key and the key to the ephemeral secret beside the rotations.
  seeds_.reserve(steps() + 3);
}

/// One walk through the series.
class KeySeries::Walk {
 public:
  explicit Walk(KeySeries& series) : series_(series) {}

  /// `name` is none for keys around raising a modulus.
  rlwe::SwitchingKey key(const std::string& name, const rlwe::ModulusChain& chain, const ring::NttRows& from,
                         const ring::NttRows& to, int level) {
    if (series_.randomness_ && !name.empty()) {
      KeyRandomness random = series_.randomness_(name);
      return rlwe::SwitchingKey::generate(chain, from, to, level, random.uniform, random.errors);
    }
    if (next_ == series_.seeds_.size()) rlwe::KeySeeds::draw(series_.seeds_.emplace_back());
    return rlwe::make_switching_key(chain, from, to, level, series_.seeds_[next_++]);
  }

  /// Makes a key switch from `from` to `to`, followed by an automorphism.
  GaloisKey galois_key(const std::string& name, const rlwe::ModulusChain& chain, const SecretKey& from,
                       const SecretKey& to, std::uint64_t element, int level) {
    const std::size_t n = chain.n();
    const rlwe::Automorphism backwards(ring::inverse_element(element, n, chain.kind()), n, chain.kind());
    ring::SecretNttPoly target(n, chain.primes());
    base::parallel_for(0, target.limbs(),
                       [&](std::size_t row) { backwards.apply_run(target.limb(row), to.poly().limb_span(row), 0); });
    return {.key = key(name, chain, from.poly(), target, level),
            .automorphism = rlwe::Automorphism(element, n, chain.kind())};
  }

 private:
  KeySeries& series_;
  std::size_t next_ = 0;
};

void KeySeries::walk(const std::function<void(EvaluationKeys)>& give, base::Progress& progress) {
  const rlwe::ModulusChain& chain = context_->chain();
  const params::ParameterHash& hash = context_->parameters().hash();
  Walk walk(*this);
  const auto pass_on = [&](EvaluationKeys one) {
    one.parameters = hash;
    one.rotation_primes = manifest_.rotation_primes;
    give(std::move(one));
  };
  if (manifest_.relinearise_level >= 0) {
    ring::SecretNttPoly square(chain.n(), secret_.poly().limbs());
    base::parallel_for(0, square.limbs(), [&](std::size_t row) {
      ring::limb::multiply(square.limb(row), secret_.poly().limb(row), secret_.poly().limb(row), chain.n(),
                           chain.modulus(row));
    });
    pass_on({.relinearisation = walk.key("relinearisation", context_->product_chain(), square, secret_.poly(),
                                         manifest_.relinearise_level)});
  }
  if (manifest_.conjugate_level >= 0)
    pass_on({.conjugation = walk.galois_key("conjugation", chain, secret_, secret_,
                                            ring::conjugation_element(chain.n()), manifest_.conjugate_level)});

  const rlwe::ModulusChain& rotating = context_->rotation_chain(manifest_.rotation_primes);
  std::optional<SecretKey> arranged;  // the secret's rows in the order of these primes
  if (&rotating != &chain && !manifest_.rotations.empty()) arranged.emplace(rotating, hash, secret_.coefficients());
  const SecretKey& rotated = arranged ? *arranged : secret_;
  for (const auto& [steps, level] : manifest_.rotations) {
    const std::uint64_t element = ring::rotation_element(steps, chain.n(), chain.kind());
    pass_on({.rotations = {{steps, walk.galois_key("rotation " + std::to_string(steps), rotating, rotated, rotated,
                                                   element, level)}}});
    progress.advance();
  }

  if (manifest_.raised_rotations.empty()) return;
  const rlwe::ModulusChain& raising = context_->raising_chain();
  const rlwe::ModulusChain& small = *context_->ephemeral_chain();
  if (!ephemeral_) {
    base::Csprng random = base::Csprng::from_system();
    base::SecretVector<std::int8_t> coefficients(raising.n());
    ring::sample_sparse(coefficients, context_->parameters().literal().bootstrap->ephemeral_weight, random);
    ephemeral_.emplace(raising, hash, coefficients);
  }
  const SecretKey ephemeral_small(small, hash, ephemeral_->coefficients());
  const SecretKey secret_small(small, hash, secret_.coefficients());
  pass_on({.raise = {.to_ephemeral = walk.key({}, small, secret_small.poly(), ephemeral_small.poly(), 0)}});
  for (const auto& [steps, level] : manifest_.raised_rotations) {
    const std::uint64_t element = ring::rotation_element(steps, raising.n(), raising.kind());
    pass_on({.raise = {.to_secret = {{steps, walk.galois_key({}, raising, *ephemeral_, secret_, element, level)}}}});
    progress.advance();
  }
}

}  // namespace tacit::scheme::ckks
