#include "base/entropy.h"

#include <unistd.h>

namespace tacit::base {

bool draw_entropy(std::span<std::uint8_t> bytes, Entropy) noexcept {
  return getentropy(bytes.data(), bytes.size()) == 0;
}

}  // namespace tacit::base
