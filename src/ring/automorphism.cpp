#include "ring/automorphism.h"

#include <string>

#include "base/error.h"

namespace tacit::ring {

std::uint64_t rotation_element(std::int64_t steps, std::size_t n, Kind kind) {
  const auto slots = static_cast<std::int64_t>(slot_count(n, kind));
  const std::size_t order = root_order(n, kind);
  auto exponent = static_cast<std::uint64_t>((steps % slots + slots) % slots);
  std::uint64_t element = 1;
  for (std::uint64_t power = 5; exponent != 0; exponent >>= 1) {
    if (exponent & 1) element = element * power % order;
    power = power * power % order;
  }
  return element;
}

std::uint64_t conjugation_element(std::size_t n) { return 2 * n - 1; }

std::uint64_t inverse_element(std::uint64_t element, std::size_t n, Kind kind) {
  // Newton's iteration modulo 2^64: an odd number is its own inverse to three bits.
  std::uint64_t inverse = element;
  for (int i = 0; i < 5; ++i) inverse *= 2 - element * inverse;
  return inverse % root_order(n, kind);
}

simd::AffineMap automorphism_map(std::uint64_t element, std::size_t n, Kind kind) {
  const std::size_t order = root_order(n, kind);
  const std::uint64_t step = order / n;  // evaluations are at the powers 1 modulo it: at step * x + 1 for position x
  if (element % step != 1 || element >= order)
    throw base::InputError("Galois element " + std::to_string(element) + ": expected a number below " +
                           std::to_string(order) + " that is 1 modulo " + std::to_string(step));
  return {static_cast<std::uint32_t>(element), static_cast<std::uint32_t>((element - 1) / step)};
}

}  // namespace tacit::ring
