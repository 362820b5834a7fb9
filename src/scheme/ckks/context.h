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

/// Everything precomputed from a checked parameter set: NTT tables, base converters per level, embedding tables.
/// Thread safe, shared by all actors. Immutable but for the chains of rotation_chain, which stay once they are made.
class Context {
 public:
  static std::shared_ptr<const Context> make(params::CkksParameters parameters);
  const params::CkksParameters& parameters() const { return parameters_; }
  const rlwe::ModulusChain& chain() const { return chain_; }
  /// The same primes with the digits of relinearisation.
  const rlwe::ModulusChain& product_chain() const { return product_chain_ ? *product_chain_ : chain_; }
  /// The primes as keys of rotations use them. Made when first asked for. Throws InputError for a level that the set
  /// does not have.
  const rlwe::ModulusChain& rotation_chain(const params::RotationPrimes& rotation) const;
  /// q_0 and p_0 alone: where the ephemeral secret of bootstrapping is used. Null for a leveled set.
  const rlwe::ModulusChain* ephemeral_chain() const { return ephemeral_chain_ ? &*ephemeral_chain_ : nullptr; }
  /// All ciphertext primes as one digit, and p_0: where raised ciphertexts are rotated.
  const rlwe::ModulusChain& raising_chain() const { return raising_chain_; }
  const ring::Embedding& embedding() const { return embedding_; }

 private:
  explicit Context(params::CkksParameters parameters);
  params::CkksParameters parameters_;
  rlwe::ModulusChain chain_, raising_chain_;
  std::optional<rlwe::ModulusChain> product_chain_;  ///< where it differs
  mutable std::mutex mutex_;
  using ChainPtr = std::unique_ptr<const rlwe::ModulusChain>;
  mutable std::map<int, ChainPtr> rotation_chains_;  ///< by top; null: chain_ itself
  std::optional<rlwe::ModulusChain> ephemeral_chain_;
  ring::Embedding embedding_;
};
using ContextPtr = std::shared_ptr<const Context>;

}  // namespace tacit::scheme::ckks
