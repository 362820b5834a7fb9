#include <algorithm>

#include "base/error.h"
#include "mutate_bytes.h"
#include "scheme/tfhe/encryption.h"
#include "scheme/tfhe/serialize.h"
#include "target.h"
#include "tiny_literals.h"

namespace tacit::fuzz {
namespace {

using namespace scheme::tfhe;

const ContextPtr& context() {
  static const ContextPtr made = Context::make(params::TfheParameters::check(tiny_tfhe_literal()));
  return made;
}

}  // namespace

std::string_view target_name() { return "tfhe_objects"; }

/// The first byte of an input says whether ciphertexts, a secret, evaluation keys or fresh ciphertexts are wanted.
std::vector<Bytes> seeds() {
  const SecretKey secret = SecretKey::generate(*context());
  std::vector<Bytes> all;
  const auto add = [&](Bytes bytes) {
    bytes.insert(bytes.begin(), static_cast<std::uint8_t>(all.size()));
    all.push_back(std::move(bytes));
  };
  add(serialize(*context(), Encryptor(context(), secret).encrypt_messages(std::vector<std::int64_t>{0, 1})));
  add(serialize(*context(), secret));
  add(serialize(*context(), SeededEvaluationKeys::generate(*context(), secret)));
  add(serialize(*context(), Encryptor(context(), secret).encrypt_seeded(std::vector<Torus>{0, 1, 2})));
  const PublicKey open = PublicKey::generate(*context(), secret);
  add(serialize(*context(), open));
  Bytes packed = serialize(*context(), PublicEncryptor(context(), open).encrypt(std::vector<Torus>{0, 1, 2}));
  packed.insert(packed.begin(), 3);  // fresh ciphertexts in their other form
  all.push_back(std::move(packed));
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) {
  if (from.empty()) return from;
  Bytes rest = mutate_bytes(Bytes(from.begin() + 1, from.end()), other, random);
  rest.insert(rest.begin(), random.one_in(16) ? static_cast<std::uint8_t>(random.word()) : from[0]);
  return rest;
}

/// What is accepted has one form, and serves: keys expand.
void check(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) throw base::InputError("no kind");
  const unsigned kind = bytes[0] % 5;
  bytes = bytes.subspan(1);
  Bytes again;
  if (kind == 0) {
    again = serialize(*context(), deserialize_ciphertexts(*context(), bytes));
  } else if (kind == 1) {
    again = serialize(*context(), deserialize_secret_key(*context(), bytes));
  } else if (kind == 3) {
    const FreshLweCiphertexts fresh = deserialize_fresh_ciphertexts(*context(), bytes);
    require(expand(*context(), fresh).count() == fresh.bodies.size(), "every body is a ciphertext");
    again = serialize(*context(), fresh);
  } else if (kind == 4) {
    const PublicKey key = deserialize_public_key(*context(), bytes);
    again = serialize(*context(), key);
    require(PublicEncryptor(context(), key).encrypt(std::vector<Torus>{1}).is_packed(), "a public key encrypts");
  } else {
    const SeededEvaluationKeys keys = deserialize_evaluation_keys(*context(), bytes);
    again = serialize(*context(), keys);
    const Evaluator evaluator(context(), keys);
    require(evaluator.bootstrap_key_bytes() == 16 * 4 * 256 * sizeof(double), "keys have the set's size");
  }
  require(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()), "an object has one form");
}

}  // namespace tacit::fuzz
