#include "scheme/rlwe/secret_key.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "base/vectorised.h"
#include "base/wipe.h"

namespace tacit::scheme::rlwe {

std::vector<std::size_t> extended_primes(const ModulusChain& chain, int level) {
  std::vector<std::size_t> primes(chain.extended_rows(level));
  for (std::size_t row = 0; row < primes.size(); ++row) primes[row] = chain.prime_of(level, row);
  return primes;
}

namespace {
/// Small numbers modulo q. Branch free: they are secret.
TACIT_VECTORISED void residues(std::span<const std::int8_t> coefficients, std::uint64_t q, std::uint64_t* out) {
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const auto c = static_cast<std::int64_t>(coefficients[i]);
    out[i] = static_cast<std::uint64_t>(c) + (static_cast<std::uint64_t>(c >> 63) & q);
  }
}

template <class Poly>
Poly small_in(const ModulusChain& chain, std::span<const std::int8_t> coefficients,
              std::span<const std::size_t> primes) {
  Poly poly(chain.n(), primes.size());
  base::parallel_for(0, primes.size(), [&](std::size_t row) {
    residues(coefficients, chain.modulus(primes[row]).value(), poly.limb(row));
    chain.ntt(primes[row]).forward(poly.limb(row));
  });
  return poly;
}
}  // namespace

ring::NttPoly sampled(const ModulusChain& chain, void (*sampler)(std::span<std::int8_t>, base::Csprng&),
                      base::Csprng& random, std::span<const std::size_t> primes) {
  std::vector<std::int8_t> coefficients(chain.n());
  const base::WipedAtExit wiped(coefficients);
  sampler(coefficients, random);
  return small_in<ring::NttPoly>(chain, coefficients, primes);
}

SecretKey::SecretKey(const ModulusChain& chain, const params::ParameterHash& parameters,
                     std::span<const std::int8_t> coefficients) {
  if (coefficients.size() != chain.n() || !std::ranges::all_of(coefficients, [](int c) { return c >= -1 && c <= 1; }))
    throw base::InputError("secret key: expected " + std::to_string(chain.n()) + " coefficients of -1, 0 or 1");
  auto data = std::make_shared<Data>();
  data->parameters = parameters;
  data->coefficients.assign(coefficients.begin(), coefficients.end());
  std::vector<std::size_t> all(chain.primes());
  std::iota(all.begin(), all.end(), std::size_t{0});
  data->poly = small_in<ring::SecretNttPoly>(chain, coefficients, all);
  data_ = std::move(data);
}

}  // namespace tacit::scheme::rlwe
