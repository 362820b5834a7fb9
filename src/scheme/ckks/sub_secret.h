#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/random.h"
#include "base/secret_memory.h"
#include "base/sha256.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"

namespace tacit::scheme::ckks {

/// One of the ternary secrets whose sum is the secret key of several owners (params/owner_parts.h). It is expanded from
/// a seed, and so is all randomness that its holders use with it. They answer the same request with the same bytes.
/// Copies share the secret memory. Thread safe.
class SubSecret {
 public:
  SubSecret(const Context& context, const base::Seed& seed);

  const SecretKey& key() const { return key_; }
  /// Returns the stream for one use of the secret. `request` is everything that the use depends on. Different purposes
  /// and requests have independent streams.
  base::Csprng stream(std::string_view purpose, const base::Digest& request) const;

 private:
  base::SecretVector<std::uint8_t> seed_;
  SecretKey key_;
};

/// Returns a digest that binds whoever publishes it to the seed of part `part`, and hides the seed.
base::Digest commitment_to(const base::Seed& seed, const base::Digest& group, std::size_t part);

/// Returns the randomness of the keys of a sub-secret in a group. The uniform half of a key is the same for all
/// sub-secrets, so that keys can be added up. The errors are the secret's own.
RandomnessOfKey randomness_of(const SubSecret& secret, const base::Digest& group);
/// Returns the seed of the uniform half of a key of a group, by its name.
base::Seed uniform_half(const base::Digest& group, std::string_view name);

}  // namespace tacit::scheme::ckks
