#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "params/schedule.h"
#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"
#include "scheme/rlwe/key_manifest.h"

/// Seam: signatures that runtime and the public API build on. The scheme owner splits this into one file a concept
/// (encoder.h, keys.h, encryptor.h, decryptor.h, evaluator.h, linear_transform.h, polynomial.h).
namespace tacit::scheme::ckks {

class SecretKey;       ///< zeroised on destruction; dense ternary
class PublicKey;
class EvaluationKeys;  ///< relinearisation, conjugation and rotation keys; every uniform half is a 32-byte seed

/// Slots to plaintexts and back. Thread safe.
class Encoder {
 public:
  explicit Encoder(ContextPtr context);
  /// values.size() <= slots, missing slots zero; throws InputError on NaN, infinity or overflow of the modulus.
  Plaintext encode(std::span<const double> values, int level, double scale) const;
  Plaintext encode(std::span<const std::complex<double>> values, int level, double scale) const;
  std::vector<std::complex<double>> decode(const Plaintext& plaintext) const;
};

class KeyGenerator {
 public:
  KeyGenerator(ContextPtr context);
  SecretKey secret_key() const;
  PublicKey public_key(const SecretKey& secret) const;
  EvaluationKeys evaluation_keys(const SecretKey& secret, const rlwe::KeyManifest& manifest) const;
};

/// Encrypts at the level and scale of the plaintext.
class Encryptor {
 public:
  Encryptor(ContextPtr context, const PublicKey& key);
  Encryptor(ContextPtr context, const SecretKey& key);
  Ciphertext encrypt(const Plaintext& plaintext) const;
};

class Decryptor {
 public:
  Decryptor(ContextPtr context, const SecretKey& key);
  Plaintext decrypt(const Ciphertext& ciphertext) const;
};

/// A matrix of generalised diagonals encoded for one level: the plaintext side of one (input, output) block of a linear
/// map. Encoded over q_0 … q_level and the special primes, at a scale such that the result of `linear` lands exactly on
/// the target scale after the rescale.
class DiagonalMatrix;

/// Operations on ciphertexts. Thread safe; throws InputError on level, scale or slot mismatch and KeyMismatch on a key of
/// another set; InputError naming the rotation when its key is absent.
class Evaluator {
 public:
  Evaluator(ContextPtr context, std::shared_ptr<const EvaluationKeys> keys);

  Ciphertext add(const Ciphertext& a, const Ciphertext& b) const;       ///< scales equal to 2^-30 relative
  Ciphertext sub(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext negate(const Ciphertext& a) const;
  Ciphertext add_plain(const Ciphertext& a, const Plaintext& b) const;
  Ciphertext multiply_plain(const Ciphertext& a, const Plaintext& b) const;  ///< no rescale
  /// Product, relinearised and rescaled: level - 1, scale a.scale * b.scale / q_level.
  Ciphertext multiply(const Ciphertext& a, const Ciphertext& b) const;
  Ciphertext square(const Ciphertext& a) const;
  Ciphertext rescale(const Ciphertext& a) const;
  Ciphertext drop_to_level(const Ciphertext& a, int level) const;
  Ciphertext rotate(const Ciphertext& a, std::int64_t steps) const;
  Ciphertext conjugate(const Ciphertext& a) const;
  /// Several rotations of one ciphertext from one decomposition (hoisting).
  std::vector<Ciphertext> rotate_hoisted(const Ciphertext& a, std::span<const std::int64_t> steps) const;

  /// outputs[j] = sum over i of blocks[j][i] * inputs[i] (null = no block), folded; double-hoisted BSGS; one level.
  std::vector<Ciphertext> linear(std::span<const Ciphertext> inputs,
                                 std::span<const std::vector<const DiagonalMatrix*>> blocks,
                                 const params::LinearSchedule& schedule) const;
  /// Chebyshev series on [-1, 1], ends at level - schedule.depth with exactly `target_scale`.
  Ciphertext polynomial(const Ciphertext& x, std::span<const double> coefficients,
                        const params::PolynomialSchedule& schedule, double target_scale) const;
};

}  // namespace tacit::scheme::ckks
