#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "params/ckks_parameters.h"
#include "params/key_manifest.h"
#include "ring/embedding.h"
#include "scheme/rlwe/modulus_chain.h"

namespace tacit::scheme::ckks {

/// Everything precomputed from a checked parameter set: NTT tables, base converters per level, embedding tables. All
/// actors share it. It is immutable except for the chains of rotation_chain, which stay once they are made. Thread
/// safe.
class Context {
 public:
  static std::shared_ptr<const Context> make(params::CkksParameters parameters);
  const params::CkksParameters& parameters() const { return parameters_; }
  const rlwe::ModulusChain& chain() const { return chain_; }
  /// Returns the same primes with the digits of relinearisation.
  const rlwe::ModulusChain& product_chain() const { return product_chain_ ? *product_chain_ : chain_; }
  /// Returns the primes as keys of rotations use them. They are made at the first request. Throws InputError for a
  /// level that the set does not have.
  const rlwe::ModulusChain& rotation_chain(const params::RotationPrimes& rotation) const;
  /// Returns q_0 and p_0 alone, the primes of the ephemeral secret of bootstrapping. The result is null for a leveled
  /// set.
  const rlwe::ModulusChain* ephemeral_chain() const { return ephemeral_chain_ ? &*ephemeral_chain_ : nullptr; }
  /// Returns all ciphertext primes as one digit, and p_0. Raised ciphertexts are rotated over them.
  const rlwe::ModulusChain& raising_chain() const { return raising_chain_; }
  const ring::Embedding& embedding() const { return embedding_; }

 private:
  explicit Context(params::CkksParameters parameters);
  params::CkksParameters parameters_;
  rlwe::ModulusChain chain_, raising_chain_;
  std::optional<rlwe::ModulusChain> product_chain_;  ///< set if it differs from chain_
  mutable std::mutex mutex_;
  using ChainPtr = std::unique_ptr<const rlwe::ModulusChain>;
  mutable std::map<int, ChainPtr> rotation_chains_;  ///< by top; null: chain_ itself
  std::optional<rlwe::ModulusChain> ephemeral_chain_;
  ring::Embedding embedding_;
};
using ContextPtr = std::shared_ptr<const Context>;

}  // namespace tacit::scheme::ckks
