#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "scheme/tfhe/evaluator.h"
#include "scheme/tfhe/key_series.h"
#include "scheme/tfhe/lwe_ciphertexts.h"
#include "scheme/tfhe/public_key.h"

/// Converts ciphertexts and keys to bytes and back. The bytes are little-endian: a kind, the hash of the parameter set,
/// then words. Masks of keys are 32-byte seeds. Reading untrusted bytes validates everything, and allocates nothing
/// that the bytes do not justify. It throws KeyMismatch on another parameter set. It throws InputError on a wrong kind,
/// truncation, trailing bytes, and bits of a secret that are not bits.
namespace tacit::scheme::tfhe {

/// Receives consecutive pieces of the output.
using ByteSink = std::function<void(std::span<const std::uint8_t>)>;

void serialize(const Context& context, const LweCiphertexts& ciphertexts, const ByteSink& sink);
void serialize(const Context& context, const FreshLweCiphertexts& ciphertexts, const ByteSink& sink);
/// Writes the secret itself: a byte of 0 or 1 for each bit. The caller protects and zeroises it.
void serialize(const Context& context, const SecretKey& key, const ByteSink& sink);
void serialize(const Context& context, const PublicKey& key, const ByteSink& sink);
void serialize(const Context& context, const SeededEvaluationKeys& keys, const ByteSink& sink);
/// Makes the keys while it writes them, in the form of SeededEvaluationKeys. Throws Cancelled.
void serialize(const KeySeries& series, base::Progress& progress, const ByteSink& sink);

template <class T>
std::vector<std::uint8_t> serialize(const Context& context, const T& object) {
  std::vector<std::uint8_t> bytes;
  serialize(context, object,
            [&](std::span<const std::uint8_t> piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
  return bytes;
}

/// Return the bytes that `serialize` makes of `count` ciphertexts, of `count` fresh ones under the secret key, and of
/// `count` fresh ones under the public key.
std::uint64_t ciphertexts_bytes(const Context& context, std::uint64_t count);
std::uint64_t seeded_ciphertexts_bytes(std::uint64_t count);
std::uint64_t packed_ciphertexts_bytes(const Context& context, std::uint64_t count);

LweCiphertexts deserialize_ciphertexts(const Context& context, std::span<const std::uint8_t> bytes);
/// Reads fresh ciphertexts in either form.
FreshLweCiphertexts deserialize_fresh_ciphertexts(const Context& context, std::span<const std::uint8_t> bytes);
SecretKey deserialize_secret_key(const Context& context, std::span<const std::uint8_t> bytes);
PublicKey deserialize_public_key(const Context& context, std::span<const std::uint8_t> bytes);
SeededEvaluationKeys deserialize_evaluation_keys(const Context& context, std::span<const std::uint8_t> bytes);

}  // namespace tacit::scheme::tfhe
