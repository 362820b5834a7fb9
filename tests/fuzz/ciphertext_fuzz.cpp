#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/error.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "scheme/ckks/keys.h"
#include "scheme/ckks/serialize.h"
#include "splice.h"
#include "tiny_context.h"

namespace {

using namespace tacit;

const std::vector<std::uint8_t>& whole() {
  static const std::vector<std::uint8_t> bytes = [] {
    const auto& context = fuzz::tiny_context();
    const scheme::ckks::Encryptor encryptor(context, scheme::ckks::KeyGenerator(context).secret_key());
    const std::vector<double> values{0.5, -0.25};
    return scheme::ckks::serialize(*context,
                                   encryptor.encrypt(scheme::ckks::Encoder(context).encode(values, 1, 0x1p30)));
  }();
  return bytes;
}

void read(std::span<const std::uint8_t> bytes) {
  const auto& context = *fuzz::tiny_context();
  try {
    const auto ciphertext = scheme::ckks::deserialize_ciphertext(context, bytes);
    // What is accepted has one form.
    const auto again = scheme::ckks::serialize(context, ciphertext);
    if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())) std::abort();
  } catch (const base::InputError&) {
  } catch (const base::KeyMismatch&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read({data, size});
  read(fuzz::splice(whole(), {data, size}));
  return 0;
}
