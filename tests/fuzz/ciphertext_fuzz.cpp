#include <algorithm>

#include "mutate_bytes.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "scheme/ckks/serialize.h"
#include "target.h"
#include "tiny_set.h"

namespace tacit::fuzz {

using scheme::ckks::Context;

std::string_view target_name() { return "ciphertext"; }

std::vector<Bytes> seeds() {
  const auto& [context, secret, open, evaluation] = tiny_set();
  const std::vector<double> values{0.5, -0.25};
  const auto thin =
      scheme::ckks::Encoder(context).encode(std::vector<double>(context->parameters().slots(), 0.5), 1, 0x1p30);
  const auto plain = scheme::ckks::Encoder(context).encode(values, 1, 0x1p30);
  return {serialize(*context, scheme::ckks::Encryptor(context, secret).encrypt_thin(thin, 1)),
          serialize(*context, scheme::ckks::Encryptor(context, open).encrypt_thin(thin, 2)),
          serialize(*context, scheme::ckks::Encryptor(context, secret).encrypt(plain)),
          serialize(*context, scheme::ckks::Encryptor(context, open).encrypt(plain))};
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_bytes(from, other, random); }

/// What is accepted has one form.
void check(std::span<const std::uint8_t> bytes) {
  const Context& context = *tiny_set().context;
  const Bytes again = serialize(context, scheme::ckks::deserialize_ciphertext(context, bytes));
  require(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()), "a ciphertext has one form");
}

}  // namespace tacit::fuzz
