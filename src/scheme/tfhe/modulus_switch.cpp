#include "scheme/tfhe/modulus_switch.h"

#include <bit>

namespace tacit::scheme::tfhe {

Rotations modulus_switch(const Context& context, std::span<const std::uint32_t> ciphertext, unsigned log_room) {
  const auto log_steps =
      static_cast<unsigned>(std::countr_zero(2 * context.polynomial() * context.extension())) - log_room;
  const unsigned dropped = 32 - log_steps;
  const auto round = [&](std::uint32_t word) { return (word + (std::uint32_t{1} << (dropped - 1))) >> dropped; };
  const std::uint32_t wrap = (std::uint32_t{1} << log_steps) - 1;
  Rotations result;
  result.mask.reserve(ciphertext.size() - 1);
  std::int64_t errors = 0;
  for (const std::uint32_t word : ciphertext.first(ciphertext.size() - 1)) {
    // A word next to 2^32 rounds to 2^32, which wraps to 0, as its difference does.
    const std::uint32_t rounded = round(word);
    errors += static_cast<std::int32_t>(word - (rounded << dropped));
    result.mask.push_back((rounded & wrap) << log_room);
  }
  const std::uint32_t body = ciphertext.back() - static_cast<std::uint32_t>(errors >> 1);
  result.body = (round(body) & wrap) << log_room;
  return result;
}

}  // namespace tacit::scheme::tfhe
