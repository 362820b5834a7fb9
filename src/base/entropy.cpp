#include "base/entropy.h"

#include <openssl/rand.h>

namespace tacit::base {

bool draw_entropy(std::span<std::uint8_t> bytes, Entropy use) noexcept {
  const int count = static_cast<int>(bytes.size());
  return (use == Entropy::secret ? RAND_priv_bytes(bytes.data(), count) : RAND_bytes(bytes.data(), count)) == 1;
}

}  // namespace tacit::base
