#pragma once

#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"
#include "tiny_literals.h"

namespace tacit::fuzz {

/// A tiny parameter set with every kind of key.
struct TinySet {
  scheme::ckks::ContextPtr context;
  scheme::ckks::SecretKey secret;
  scheme::ckks::PublicKey open;
  scheme::ckks::EvaluationKeys evaluation;

  TinySet(const params::CkksLiteral& literal, const params::KeyManifest& manifest)
      : TinySet(scheme::ckks::Context::make(params::CkksParameters::check(literal)), manifest) {}

 private:
  TinySet(const scheme::ckks::ContextPtr& made, const params::KeyManifest& manifest)
      : TinySet(made, scheme::ckks::KeyGenerator(made), manifest) {}
  TinySet(const scheme::ckks::ContextPtr& made, const scheme::ckks::KeyGenerator& generator,
          const params::KeyManifest& manifest)
      : context(made),
        secret(generator.secret_key()),
        open(generator.public_key(secret)),
        evaluation(generator.evaluation_keys(secret, manifest)) {}
};

/// Leveled, with rotation keys for the two lower levels.
inline const TinySet& tiny_set() {
  static const TinySet set(
      tiny_literal(),
      {.relinearise_level = 1, .conjugate_level = 0, .rotations = {{2, 1}, {3, 0}}, .rotation_primes = {.top = 1}});
  return set;
}

/// With keys that raise a modulus.
inline const TinySet& tiny_bootstrapping_set() {
  static const TinySet set = [] {
    const params::CkksLiteral literal = tiny_bootstrapping_literal();
    const int top = static_cast<int>(literal.q_bits.size()) - 1;
    return TinySet(literal, {.conjugate_level = 1, .rotations = {{1, 0}}, .raised_rotations = {{0, top}, {2, top}}});
  }();
  return set;
}

}  // namespace tacit::fuzz
