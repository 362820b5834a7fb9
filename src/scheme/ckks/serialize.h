#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "scheme/ckks/ciphertext.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"

/// Converts ciphertexts and keys to bytes and back. The bytes are little-endian: a kind, the hash of the parameter set,
/// then residues in as many whole bytes as their prime needs. Uniform halves are 32-byte seeds. A thin ciphertext has
/// residues in as many bits as they need, in its first half one for each coefficient that is sent. Reading
/// untrusted bytes validates everything, and allocates nothing that the bytes do not justify. It throws KeyMismatch on
/// another parameter set, and InputError in these cases:
/// - a wrong kind, truncation or trailing bytes
/// - levels or steps out of range
/// - residues that are not below their prime
namespace tacit::scheme::ckks {

/// Receives consecutive pieces of the output.
using ByteSink = std::function<void(std::span<const std::uint8_t>)>;

void serialize(const Context& context, const Ciphertext& ciphertext, const ByteSink& sink);
/// Writes the secret itself: 0, 1 or 255 per coefficient. The caller protects and zeroises it.
void serialize(const Context& context, const SecretKey& key, const ByteSink& sink);
void serialize(const Context& context, const PublicKey& key, const ByteSink& sink);
void serialize(const Context& context, const EvaluationKeys& keys, const ByteSink& sink);

/// What one owner sends in a round of relinearisation (relinearisation_rounds.h): extended polynomials of the level.
struct RelinearisationRound {
  int level = 0;
  std::vector<ring::NttPoly> polys{};
};
void serialize(const Context& context, const RelinearisationRound& round, const ByteSink& sink);

template <class T>
std::vector<std::uint8_t> serialize(const Context& context, const T& object) {
  std::vector<std::uint8_t> bytes;
  serialize(context, object,
            [&](std::span<const std::uint8_t> piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
  return bytes;
}

/// Returns the bytes that `serialize` makes of a ciphertext at this level. `seeded` puts a seed in place of its uniform
/// half. `log_gap` is that of the ciphertext.
std::uint64_t ciphertext_bytes(const Context& context, int level, bool seeded, int log_gap = 0);

Ciphertext deserialize_ciphertext(const Context& context, std::span<const std::uint8_t> bytes);
SecretKey deserialize_secret_key(const Context& context, std::span<const std::uint8_t> bytes);
PublicKey deserialize_public_key(const Context& context, std::span<const std::uint8_t> bytes);
EvaluationKeys deserialize_evaluation_keys(const Context& context, std::span<const std::uint8_t> bytes);
RelinearisationRound deserialize_relinearisation_round(const Context& context, std::span<const std::uint8_t> bytes);

}  // namespace tacit::scheme::ckks
