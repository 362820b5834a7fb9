#include "ring/automorphism.h"

#include <bit>
#include <string>

#include "base/error.h"
#include "ring/bit_reversal.h"

namespace tacit::ring {

std::uint64_t rotation_element(std::int64_t steps, std::size_t n) {
  const auto slots = static_cast<std::int64_t>(n / 2);
  auto exponent = static_cast<std::uint64_t>((steps % slots + slots) % slots);
  std::uint64_t element = 1;
  for (std::uint64_t power = 5; exponent != 0; exponent >>= 1) {
    if (exponent & 1) element = element * power % (2 * n);
    power = power * power % (2 * n);
  }
  return element;
}

std::uint64_t conjugation_element(std::size_t n) { return 2 * n - 1; }

std::vector<std::uint32_t> automorphism_table(std::uint64_t element, std::size_t n) {
  if (element % 2 == 0 || element >= 2 * n)
    throw base::InputError("Galois element " + std::to_string(element) + ": expected an odd number below " +
                           std::to_string(2 * n));
  const auto log_n = static_cast<unsigned>(std::countr_zero(n));
  std::vector<std::uint32_t> index(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t exponent = element * (2 * reverse_bits(i, log_n) + 1) % (2 * n);
    index[i] = static_cast<std::uint32_t>(reverse_bits(exponent / 2, log_n));
  }
  return index;
}

}  // namespace tacit::ring
