#include "scheme/rlwe/ephemeral_secret.h"

#include <bit>

#include "base/error.h"

namespace tacit::scheme::rlwe {

base::SecretVector<std::int8_t> sample_ephemeral_secret(std::size_t n, int weight, base::Csprng& random) {
  TACIT_ASSERT(std::has_single_bit(n) && weight > 0 && static_cast<std::size_t>(weight) <= n / 2);
  base::SecretVector<std::int8_t> coefficients(n, 0);
  // A place that is taken is drawn again: the number of draws tells nothing about the places.
  for (int placed = 0; placed < weight;) {
    const std::uint64_t word = random.next();
    std::int8_t& coefficient = coefficients[word & (n - 1)];
    if (coefficient != 0) continue;
    coefficient = static_cast<std::int8_t>((word >> 63) == 0 ? 1 : -1);
    ++placed;
  }
  return coefficients;
}

}  // namespace tacit::scheme::rlwe
