#include "scheme/ckks/sub_secret.h"

#include <algorithm>

#include "ring/sampler.h"

namespace tacit::scheme::ckks {
namespace {

/// Hashes a text with its length, so that no two sequences of texts have the same bytes.
base::Sha256& update(base::Sha256& hash, std::string_view text) {
  const std::uint64_t size = text.size();
  return hash.update(std::as_bytes(std::span(&size, 1))).update(std::as_bytes(std::span(text)));
}

SecretKey ternary(const Context& context, const base::Seed& seed) {
  base::Csprng random(seed);
  base::SecretVector<std::int8_t> coefficients(context.parameters().n());
  ring::sample_ternary(coefficients, random);
  return {context.chain(), context.parameters().hash(), coefficients};
}

}  // namespace

SubSecret::SubSecret(const Context& context, const base::Seed& seed)
    : seed_(seed.begin(), seed.end()), key_(ternary(context, seed)) {}

base::Csprng SubSecret::stream(std::string_view purpose, const base::Digest& request) const {
  base::Sha256 hash;
  update(hash, "tacit sub-secret 1");
  update(hash, purpose);
  base::Seed seed = hash.update(std::as_bytes(std::span(seed_))).update(std::as_bytes(std::span(request))).finish();
  base::Csprng random(seed);
  base::zeroise(seed.data(), seed.size());
  return random;
}

base::Digest commitment_to(const base::Seed& seed, const base::Digest& group, std::size_t part) {
  base::Sha256 hash;
  update(hash, "tacit commitment to a seed 1");
  const std::uint64_t number = part;
  return hash.update(std::as_bytes(std::span(group)))
      .update(std::as_bytes(std::span(&number, 1)))
      .update(std::as_bytes(std::span(seed)))
      .finish();
}

base::Seed uniform_half(const base::Digest& group, std::string_view name) {
  base::Sha256 hash;
  update(hash, "tacit uniform half of a group 1");
  update(hash, name);
  return hash.update(std::as_bytes(std::span(group))).finish();
}

RandomnessOfKey randomness_of(const SubSecret& secret, const base::Digest& group) {
  return [secret, group](const std::string& name) {
    return KeyRandomness{uniform_half(group, name), secret.stream("errors of " + name, group)};
  };
}

}  // namespace tacit::scheme::ckks
