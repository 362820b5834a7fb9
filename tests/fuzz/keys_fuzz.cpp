#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/error.h"
#include "scheme/ckks/keys.h"
#include "scheme/ckks/serialize.h"
#include "splice.h"
#include "tiny_context.h"

namespace {

using namespace tacit;
using Bytes = std::vector<std::uint8_t>;

struct Whole {
  Bytes secret, open, evaluation;
};

const Whole& whole() {
  static const Whole keys = [] {
    const auto& context = fuzz::tiny_context();
    const scheme::ckks::KeyGenerator generator(context);
    const auto secret = generator.secret_key();
    return Whole{
        scheme::ckks::serialize(*context, secret), scheme::ckks::serialize(*context, generator.public_key(secret)),
        scheme::ckks::serialize(
            *context,
            generator.evaluation_keys(secret, {.relinearise_level = 1, .conjugate_level = 0, .rotations = {{2, 1}}}))};
  }();
  return keys;
}

template <class Load>
void read(std::span<const std::uint8_t> bytes, const Load& load) {
  const auto& context = *fuzz::tiny_context();
  try {
    const Bytes again = scheme::ckks::serialize(context, load(context, bytes));
    if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())) std::abort();  // one form each
  } catch (const base::InputError&) {
  } catch (const base::KeyMismatch&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scheme::ckks;
  const std::span<const std::uint8_t> bytes(data, size);
  for (const bool spliced : {false, true}) {
    read(spliced ? fuzz::splice(whole().secret, bytes) : Bytes(data, data + size), deserialize_secret_key);
    read(spliced ? fuzz::splice(whole().open, bytes) : Bytes(data, data + size), deserialize_public_key);
    read(spliced ? fuzz::splice(whole().evaluation, bytes) : Bytes(data, data + size), deserialize_evaluation_keys);
  }
  return 0;
}
