#include "scheme/ckks/encryptor.h"

#include <span>
#include <type_traits>

#include "base/parallel.h"
#include "ring/limb.h"
#include "ring/sampler.h"
#include "scheme/ckks/check.h"
#include "scheme/ckks/subring.h"
#include "scheme/rlwe/division.h"

namespace tacit::scheme::ckks {

// Samplers are passed by their address below. Clang takes a function with an incomplete parameter type for one without
// parameters there, and WebAssembly then refuses the call.
static_assert(std::is_trivially_copyable_v<std::span<std::int8_t>>);

namespace limb = ring::limb;

Encryptor::Encryptor(ContextPtr context, const PublicKey& key)
    : context_(std::move(context)), key_(std::make_shared<const PublicKey>(key)) {
  check_parameters(*context_, key.parameters, "encrypt", "public key");
}

Encryptor::Encryptor(ContextPtr context, const SecretKey& key) : context_(std::move(context)), key_(key) {
  check_parameters(*context_, key.parameters(), "encrypt", "secret key");
}

Ciphertext Encryptor::encrypt(const Plaintext& plaintext) const { return encrypt(plaintext, 0); }

Ciphertext Encryptor::encrypt_thin(const Plaintext& plaintext, int log_gap) const {
  check_gap(*context_, log_gap, "encrypt");
  return encrypt(plaintext, log_gap);
}

Ciphertext Encryptor::encrypt(const Plaintext& plaintext, int log_gap) const {
  check(*context_, plaintext, "encrypt");
  if (const auto* secret = std::get_if<SecretKey>(&key_)) return encrypt_symmetric(plaintext, *secret, log_gap);
  return encrypt_public(plaintext, *std::get<std::shared_ptr<const PublicKey>>(key_), log_gap);
}

// Encrypts zero modulo Q_level P_level and divides by P_level, which leaves little more than the rounding noise.
// Whoever knows the first half of that zero reads the message off the ciphertext: both halves are wiped like the mask.
Ciphertext Encryptor::encrypt_public(const Plaintext& plaintext, const PublicKey& key, int log_gap) const {
  const rlwe::ModulusChain& chain = context_->chain();
  const std::size_t n = chain.n();
  const std::vector<std::size_t> primes = rlwe::extended_primes(chain, plaintext.level);
  base::Csprng random = base::Csprng::from_system();
  ring::NttPoly mask = rlwe::sampled(chain, ring::sample_ternary, random, primes);
  ring::NttPoly u0 = rlwe::sampled(chain, ring::sample_gaussian, random, primes);
  ring::NttPoly u1 = rlwe::sampled(chain, ring::sample_gaussian, random, primes);
  base::parallel_for(0, primes.size(), [&](std::size_t row) {
    const ring::Modulus& q = chain.modulus(primes[row]);
    limb::multiply_add(u0.limb(row), mask.limb(row), key.b.limb(primes[row]), n, q);
    limb::multiply_add(u1.limb(row), mask.limb(row), key.a.limb(primes[row]), n, q);
  });
  mask.wipe();
  const std::size_t rows = rlwe::ModulusChain::rows(plaintext.level);
  Ciphertext result{.c0 = ring::NttPoly(n, rows),
                    .c1 = ring::NttPoly(n, rows),
                    .level = plaintext.level,
                    .scale = plaintext.scale,
                    .parameters = context_->parameters().hash(),
                    .log_gap = log_gap};
  const ring::NttPoly* polys[] = {&u0, &u1};
  const auto finish = [&](const rlwe::Run& run) {
    if (run.poly == 0) {
      limb::add(result.c0.limb(run.row) + run.at, run.words.data(), plaintext.poly.limb(run.row) + run.at,
                run.words.size(), chain.modulus(run.row));
    } else {
      std::ranges::copy(run.words, result.c1.limb(run.row) + run.at);
    }
  };
  rlwe::divide(chain, plaintext.level, polys, rlwe::Divisor::special, finish, rlwe::Contents::secret);
  u0.wipe();
  u1.wipe();
  for (ring::NttPoly* half : {&result.c0, &result.c1}) divide_by_gap(chain, *half, log_gap);
  keep_subring(chain, result.c0, log_gap);
  return result;
}

Ciphertext Encryptor::encrypt_symmetric(const Plaintext& plaintext, const SecretKey& key, int log_gap) const {
  const rlwe::ModulusChain& chain = context_->chain();
  const std::size_t n = chain.n(), rows = rlwe::ModulusChain::rows(plaintext.level);
  const std::vector<std::size_t> primes = rlwe::extended_primes(chain, plaintext.level);
  base::Csprng random = base::Csprng::from_system();
  Ciphertext result{.c0 = rlwe::sampled(chain, ring::sample_gaussian, random, std::span(primes).first(rows)),
                    .c1 = ring::NttPoly(n, rows),
                    .level = plaintext.level,
                    .scale = plaintext.scale,
                    .parameters = context_->parameters().hash(),
                    .c1_seed = base::public_seed(),
                    .log_gap = log_gap};
  base::parallel_for(0, rows, [&](std::size_t row) {
    std::uint64_t* c0 = result.c0.limb(row);
    limb::add(c0, c0, plaintext.poly.limb(row), n, chain.modulus(row));
  });
  divide_by_gap(chain, result.c0, log_gap);
  base::parallel_for(0, rows, [&](std::size_t row) {
    const ring::Modulus& q = chain.modulus(row);
    std::uint64_t* c0 = result.c0.limb(row);
    rlwe::uniform_row(chain, *result.c1_seed, 0, row).fill(0, result.c1.limb_span(row));
    base::AlignedVector<std::uint64_t> product(n);
    limb::multiply(product.data(), result.c1.limb(row), key.poly().limb(row), n, q);
    limb::sub(c0, c0, product.data(), n, q);
    base::zeroise(product.data(), n * sizeof(std::uint64_t));
  });
  keep_subring(chain, result.c0, log_gap);
  return result;
}

}  // namespace tacit::scheme::ckks
