#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "scheme/ckks/key_sums.h"
#include "scheme/ckks/party_for_test.h"
#include "scheme/ckks/relinearisation_rounds.h"
#include "scheme/ckks/result_share.h"
#include "scheme/ckks/sub_secret.h"

/// The holders of all parts of a secret key, and the keys that they make together.
namespace tacit::scheme::ckks::testing {

struct Owners {
  Owners(params::CkksLiteral literal, int parts, params::KeyManifest manifest)
      : context(made(literal, parts)), encoder(context), group(base::sha256({})) {
    const int level = manifest.relinearise_level;
    manifest.relinearise_level = -1;
    std::optional<PublicKey> open;
    EvaluationKeys sum;
    for (int part = 0; part < parts; ++part) {
      secrets.emplace_back(*context, base::system_seed());
      const KeyGenerator generator(context, randomness_of(secrets.back(), group));
      const PublicKey mine = generator.public_key(secrets.back().key());
      EvaluationKeys galois = generator.evaluation_keys(secrets.back().key(), manifest);
      if (part == 0) {
        open = mine;
        sum = std::move(galois);
      } else {
        add(*context, *open, mine);
        add(*context, sum, galois);
      }
    }
    if (level >= 0) sum.relinearisation.emplace(relinearisation(level));
    public_key = *std::move(open);
    keys = std::make_shared<const EvaluationKeys>(std::move(sum));
  }

  rlwe::SwitchingKey relinearisation(int level) const {
    const RelinearisationRounds rounds(context, group, level);
    RelinearisationHalves sums = rounds.first(secrets.front());
    for (std::size_t i = 1; i < secrets.size(); ++i) rounds.add(sums, rounds.first(secrets[i]));
    std::vector<ring::NttPoly> second = rounds.second(secrets.front(), sums);
    for (std::size_t i = 1; i < secrets.size(); ++i) rounds.add(second, rounds.second(secrets[i], sums));
    return rounds.key(std::move(second), std::move(sums.second));
  }

  /// Decrypts with all sub-secrets in one place, without a flood.
  std::vector<double> decrypt(const Ciphertext& ciphertext) const {
    Plaintext plain{.poly = ciphertext.c0,
                    .level = ciphertext.level,
                    .scale = ciphertext.scale,
                    .parameters = ciphertext.parameters};
    for (const SubSecret& secret : secrets)
      for (std::size_t row = 0; row < plain.poly.limbs(); ++row)
        ring::limb::multiply_add(plain.poly.limb(row), ciphertext.c1.limb(row), secret.key().poly().limb(row),
                                 context->chain().n(), context->chain().modulus(row));
    std::vector<double> values;
    for (const auto& z : encoder.decode(plain)) values.push_back(z.real());
    return values;
  }

  static ContextPtr made(params::CkksLiteral literal, int parts) {
    literal.parts = parts;
    return Context::make(params::CkksParameters::check(literal));
  }

  ContextPtr context;
  Encoder encoder;
  base::Digest group;
  std::vector<SubSecret> secrets;
  PublicKey public_key;
  std::shared_ptr<const EvaluationKeys> keys;
};

}  // namespace tacit::scheme::ckks::testing
