#include "params/ntt_primes.h"

#include <algorithm>
#include <bit>

namespace tacit::params {
namespace {

__extension__ typedef unsigned __int128 Wide;

std::uint64_t power_mod(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = static_cast<std::uint64_t>(Wide{result} * base % modulus);
    base = static_cast<std::uint64_t>(Wide{base} * base % modulus);
  }
  return result;
}

// The first twelve primes as bases decide every number below 3.3 * 10^24 (Sorenson and Webster 2015).
constexpr std::uint64_t kBases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};

}  // namespace

bool is_prime(std::uint64_t value) {
  if (value < 2) return false;
  for (const std::uint64_t base : kBases) {
    if (value % base == 0) return value == base;
  }
  const int twos = std::countr_zero(value - 1);
  const std::uint64_t odd = (value - 1) >> twos;
  for (const std::uint64_t base : kBases) {
    std::uint64_t x = power_mod(base, odd, value);
    if (x == 1 || x == value - 1) continue;
    bool composite = true;
    for (int i = 1; i < twos && composite; ++i) {
      x = static_cast<std::uint64_t>(Wide{x} * x % value);
      composite = x != value - 1;
    }
    if (composite) return false;
  }
  return true;
}

std::vector<std::uint64_t> largest_ntt_primes(int bits, std::uint64_t modulus, std::size_t count,
                                              std::span<const std::uint64_t> taken, std::uint64_t most) {
  std::vector<std::uint64_t> primes;
  const std::uint64_t floor = std::uint64_t{1} << (bits - 1);
  const std::uint64_t ceiling = std::min((floor << 1) - 1, most);
  for (std::uint64_t candidate = (ceiling - 1) / modulus * modulus + 1;
       primes.size() < count && candidate > floor && candidate <= ceiling; candidate -= modulus) {
    if (is_prime(candidate) && std::ranges::find(taken, candidate) == taken.end()) primes.push_back(candidate);
  }
  return primes;
}

}  // namespace tacit::params
