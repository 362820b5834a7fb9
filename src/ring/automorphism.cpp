#include "ring/automorphism.h"

#include <bit>
#include <string>

#include "base/error.h"
#include "ring/bit_reversal.h"

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

std::vector<std::uint32_t> automorphism_table(std::uint64_t element, std::size_t n, Kind kind) {
  const std::size_t order = root_order(n, kind);
  const std::uint64_t step = order / n;  // evaluations are at the powers 1 modulo it
  if (element % step != 1 || element >= order)
    throw base::InputError("Galois element " + std::to_string(element) + ": expected a number below " +
                           std::to_string(order) + " that is 1 modulo " + std::to_string(step));
  const auto log_n = static_cast<unsigned>(std::countr_zero(n));
  std::vector<std::uint32_t> index(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t exponent = element * (step * reverse_bits(i, log_n) + 1) % order;
    index[i] = static_cast<std::uint32_t>(reverse_bits(exponent / step, log_n));
  }
  return index;
}

}  // namespace tacit::ring
