#include "scheme/ckks/sealed_seeds.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/sha256.h"
#include "base/wipe.h"
#include "ring/limb.h"
#include "ring/sampler.h"
#include "scheme/ckks/check.h"

namespace tacit::scheme::ckks {

namespace limb = ring::limb;

namespace {

constexpr std::size_t kSeedBits = 8 * sizeof(base::Seed);
/// Sealed bits have no scale of their own.
constexpr double kScale = 1;

std::size_t ciphertexts(const Context& context, std::size_t seeds) {
  return (seeds * kSeedBits + context.parameters().n() - 1) / context.parameters().n();
}

bool bit_of(std::span<const base::Seed> seeds, std::size_t bit) {
  return (seeds[bit / kSeedBits][bit % kSeedBits / 8] >> (bit % 8) & 1) != 0;
}

/// Adds small numbers of a sampler to coefficients modulo q, in the NTT domain.
ring::NttPoly small(const Context& context, void (*sampler)(std::span<std::int8_t>, base::Csprng&),
                    base::Csprng& random) {
  const std::size_t first = 0;
  return rlwe::sampled(context.chain(), sampler, random, {&first, 1});
}

Ciphertext encrypted(const Context& context, const PublicKey& receiver, std::span<const base::Seed> seeds,
                     std::size_t from, base::Csprng& random) {
  const rlwe::ModulusChain& chain = context.chain();
  const ring::Modulus& q = chain.modulus(0);
  const std::size_t n = chain.n(), bits = seeds.size() * kSeedBits;
  ring::NttPoly mask = small(context, ring::sample_ternary, random);
  Ciphertext result{.c0 = small(context, ring::sample_gaussian, random),
                    .c1 = small(context, ring::sample_gaussian, random),
                    .level = 0,
                    .scale = kScale,
                    .parameters = context.parameters().hash()};
  ring::NttPoly message(n, 1);
  for (std::size_t i = 0; i < n; ++i)
    message.limb(0)[i] = from + i < bits && bit_of(seeds, from + i) ? q.value() / 2 : 0;
  chain.ntt(0).forward(message.limb(0));
  limb::multiply_add(result.c0.limb(0), mask.limb(0), receiver.b.limb(0), n, q);
  limb::multiply_add(result.c1.limb(0), mask.limb(0), receiver.a.limb(0), n, q);
  limb::add(result.c0.limb(0), result.c0.limb(0), message.limb(0), n, q);
  mask.wipe();
  message.wipe();
  return result;
}

}  // namespace

std::vector<Ciphertext> seal(const Context& context, const PublicKey& receiver, std::span<const base::Seed> seeds) {
  check_parameters(context, receiver.parameters, "seal", "public key");
  constexpr std::string_view kDomain = "tacit sealed seeds 1";
  base::Sha256 hash;
  hash.update(std::as_bytes(std::span(kDomain)));
  hash.update(std::as_bytes(std::span(receiver.seed))).update(std::as_bytes(receiver.b.limb_span(0)));
  for (const base::Seed& seed : seeds) hash.update(std::as_bytes(std::span(seed)));
  base::Seed drawn = hash.finish();
  base::Csprng random(drawn);
  base::zeroise(drawn.data(), drawn.size());
  std::vector<Ciphertext> sealed;
  for (std::size_t i = 0; i < ciphertexts(context, seeds.size()); ++i)
    sealed.push_back(encrypted(context, receiver, seeds, i * context.parameters().n(), random));
  return sealed;
}

std::vector<base::Seed> open_sealed(const Context& context, const SecretKey& secret, const PublicKey& own,
                                    std::span<const Ciphertext> sealed, std::size_t count) {
  constexpr const char* kRefusal = "sealed seeds: they were not sealed for this key, or were altered";
  check_parameters(context, secret.parameters(), "open", "secret key");
  const rlwe::ModulusChain& chain = context.chain();
  const ring::Modulus& q = chain.modulus(0);
  const std::size_t n = chain.n();
  if (sealed.size() != ciphertexts(context, count)) throw base::InputError(kRefusal);
  std::vector<base::Seed> seeds(count, base::Seed{});
  for (std::size_t c = 0; c < sealed.size(); ++c) {
    check(context, sealed[c], "open");
    if (sealed[c].level != 0) throw base::InputError(kRefusal);
    ring::NttPoly message = sealed[c].c0;
    limb::multiply_add(message.limb(0), sealed[c].c1.limb(0), secret.poly().limb(0), n, q);
    chain.ntt(0).inverse(message.limb(0));
    for (std::size_t i = 0; i < n && c * n + i < count * kSeedBits; ++i) {
      const std::uint64_t word = message.limb(0)[i], quarter = q.value() / 4;
      const bool set = word > quarter && word < q.value() - quarter;
      const std::size_t bit = c * n + i;
      seeds[bit / kSeedBits][bit % kSeedBits / 8] |= static_cast<std::uint8_t>((set ? 1 : 0) << (bit % 8));
    }
    message.wipe();
  }
  const std::vector<Ciphertext> again = seal(context, own, seeds);
  for (std::size_t c = 0; c < sealed.size(); ++c)
    if (!std::ranges::equal(again[c].c0.limb_span(0), sealed[c].c0.limb_span(0)) ||
        !std::ranges::equal(again[c].c1.limb_span(0), sealed[c].c1.limb_span(0))) {
      base::wipe(seeds);
      throw base::InputError(kRefusal);
    }
  return seeds;
}

}  // namespace tacit::scheme::ckks
