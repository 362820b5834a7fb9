#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/progress.h"
#include "base/random.h"
#include "params/key_manifest.h"
#include "scheme/ckks/context.h"
#include "scheme/rlwe/automorphism.h"
#include "scheme/rlwe/secret_key.h"
#include "scheme/rlwe/switching_key.h"

namespace tacit::scheme::ckks {

using SecretKey = rlwe::SecretKey;

/// An encryption of zero (b, a) modulo Q P, b = -a s + e; a is the expansion of a seed. Immutable, thread safe.
struct PublicKey {
  ring::NttPoly b, a;  ///< one row per prime of the chain, special primes last
  base::Seed seed{};
  params::ParameterHash parameters{};
};

/// A key switch followed by an automorphism: phi(c0 + <c1, key>) with a key from s to phi^-1(s). The automorphism is
/// thus applied once, to the result, and not to every digit.
struct GaloisKey {
  rlwe::SwitchingKey key;
  rlwe::Automorphism automorphism;
};

/// The key switches around raising a modulus. The first switches to the ephemeral secret at level 0, over
/// Context::ephemeral_chain. The others switch back to the secret at the raised level, over Context::raising_chain,
/// together with rotations.
struct RaiseKeys {
  std::optional<rlwe::SwitchingKey> to_ephemeral{};
  std::map<std::int64_t, GaloisKey> to_secret{};  ///< by steps in [0, slots)
};

/// Relinearisation, conjugation, rotation and bootstrapping keys, each for levels up to its own. Every uniform half is
/// a 32-byte seed. Copies share the words. Thread safe while it is constant.
struct EvaluationKeys {
  params::ParameterHash parameters{};
  std::optional<rlwe::SwitchingKey> relinearisation{};
  std::optional<GaloisKey> conjugation{};
  std::map<std::int64_t, GaloisKey> rotations{};  ///< by steps in [1, slots)
  RaiseKeys raise{};
  params::RotationPrimes rotation_primes{};  ///< rotation keys are over Context::rotation_chain of this level

  /// Returns the manifest of these keys.
  params::KeyManifest manifest() const;
  /// Returns the bytes held in memory.
  std::size_t bytes() const;

  /// Each returns a key for steps in [1, slots). It throws InputError, beginning with `operation`, that names the key,
  /// the level and the existing keys.
  const rlwe::SwitchingKey& relinearise(int level, const char* operation) const;
  const GaloisKey& conjugate(int level, const char* operation) const;
  const GaloisKey& rotation(std::int64_t steps, int level, const char* operation) const;
  const rlwe::SwitchingKey& to_ephemeral(const char* operation) const;
  /// Returns the key of a rotation of a raised ciphertext back to the secret. Steps are in [0, slots).
  const GaloisKey& raised_rotation(std::int64_t steps, int level, const char* operation) const;
  /// Returns the keys that reach above the missing primes, for the set `part`. It lacks the `count` ciphertext primes
  /// of `whole` from q_first on (CkksParameters::without). The words are shared.
  std::shared_ptr<const EvaluationKeys> without(const Context& whole, const Context& part, int first, int count) const;
};

/// The randomness of one key.
struct KeyRandomness {
  base::Seed uniform{};  ///< seed of the uniform half, public
  base::Csprng errors;
};
/// Returns the randomness of a key by its name: "public", "conjugation", "rotation 5".
using RandomnessOfKey = std::function<KeyRandomness(const std::string& name)>;
/// Returns fresh randomness from the operating system.
KeyRandomness fresh_randomness();

/// Makes keys. Thread safe.
class KeyGenerator {
 public:
  /// Without `randomness`, keys are made from the randomness of the operating system. The secret key and the keys
  /// around raising a modulus always are.
  explicit KeyGenerator(ContextPtr context, RandomnessOfKey randomness = {})
      : context_(std::move(context)), randomness_(std::move(randomness)) {}
  SecretKey secret_key() const;
  PublicKey public_key(const SecretKey& secret) const;
  /// Makes exactly the keys of the manifest, each up to its level. Throws InputError on levels or steps out of range
  /// and on bootstrapping keys for a leveled set. Throws KeyMismatch on a secret of another set.
  EvaluationKeys evaluation_keys(const SecretKey& secret, const params::KeyManifest& manifest,
                                 base::Progress& progress = base::Progress::silent()) const;

 private:
  ContextPtr context_;
  RandomnessOfKey randomness_;
};

}  // namespace tacit::scheme::ckks
