#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "params/ckks_parameters.h"
#include "ring/rns_poly.h"
#include "scheme/rlwe/modulus_chain.h"

namespace tacit::scheme::rlwe {

/// A ternary secret in secret memory (base/secret_memory.h), which is overwritten when the last copy goes. Copies share
/// it. Thread safe.
class SecretKey {
 public:
  /// Takes N coefficients in {-1, 0, 1} (throws InputError otherwise). The caller zeroises its own copy.
  SecretKey(const ModulusChain& chain, const params::ParameterHash& parameters,
            std::span<const std::int8_t> coefficients);
  const params::ParameterHash& parameters() const { return data_->parameters; }
  std::span<const std::int8_t> coefficients() const { return data_->coefficients; }
  /// Returns the NTT form, one row per prime of the chain, special primes last.
  const ring::SecretNttPoly& poly() const { return data_->poly; }

 private:
  struct Data {
    params::ParameterHash parameters;
    base::SecretVector<std::int8_t> coefficients;
    ring::SecretNttPoly poly;
  };
  std::shared_ptr<const Data> data_;
};

/// Draws coefficients with a sampler (ring/sampler.h). Returns one row per listed prime of the chain, NTT domain. The
/// coefficients are wiped.
ring::NttPoly sampled(const ModulusChain& chain, void (*sampler)(std::span<std::int8_t>, base::Csprng&),
                      base::Csprng& random, std::span<const std::size_t> primes);
/// Returns the prime indices of the extended rows of a level.
std::vector<std::size_t> extended_primes(const ModulusChain& chain, int level);

}  // namespace tacit::scheme::rlwe
