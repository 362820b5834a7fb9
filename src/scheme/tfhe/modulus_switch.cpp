#include "scheme/tfhe/modulus_switch.h"

#include <bit>

namespace tacit::scheme::tfhe {

Rotations modulus_switch(const Context& context, std::span<const std::uint32_t> ciphertext, unsigned log_room) {
  const auto log_steps =
      static_cast<unsigned>(std::countr_zero(2 * context.polynomial() * context.extension())) - log_room;
  const unsigned dropped = 32 - log_steps;
  Rotations result;
  result.mask.reserve(ciphertext.size() - 1);
  std::int64_t errors = 0;
  for (const std::uint32_t word : ciphertext.first(ciphertext.size() - 1)) {
    // A word next to 2^32 rounds to 2^32, which is 0, as its difference is small.
    const std::uint32_t rounded = (word + (std::uint32_t{1} << (dropped - 1))) >> dropped;
    errors += static_cast<std::int32_t>(word - (rounded << dropped));
    result.mask.push_back(rounded << log_room);
  }
  const std::uint32_t body = ciphertext.back() - static_cast<std::uint32_t>(errors >> 1);
  result.body = (body >> dropped) << log_room;
  return result;
}

}  // namespace tacit::scheme::tfhe
