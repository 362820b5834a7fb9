#pragma once

#include <cstdint>

/// The prime field of p = 2^64 - 2^32 + 1. Any 64-bit word represents its residue. A word below p is canonical.
/// Functions take and return any representative unless they say otherwise. Thread safe.
namespace tacit::merkle::goldilocks {

inline constexpr std::uint64_t kModulus = 0xffffffff00000001u;
/// 2^64 mod p.
inline constexpr std::uint64_t kEpsilon = 0xffffffffu;
/// The smallest generator of the multiplicative group.
inline constexpr std::uint64_t kGenerator = 7;

constexpr std::uint64_t canonical(std::uint64_t a) { return a >= kModulus ? a - kModulus : a; }

constexpr std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t canonical_b = canonical(b), sum = a + canonical_b;
  return sum < a ? sum + kEpsilon : sum;
}

constexpr std::uint64_t subtract(std::uint64_t a, std::uint64_t b) { return add(a, kModulus - canonical(b)); }

/// Returns low + high 2^64 mod p, with 2^64 = 2^32 - 1 and 2^96 = -1.
constexpr std::uint64_t reduce(std::uint64_t low, std::uint64_t high) {
  const std::uint64_t top = high >> 32, middle = high & kEpsilon;
  std::uint64_t difference = 0, sum = 0;
  // Needs low < 2^32. A branch that is hardly ever taken is cheaper than arithmetic that never matters.
  if (__builtin_expect(__builtin_sub_overflow(low, top, &difference), false)) difference -= kEpsilon;
  const std::uint64_t carry = __builtin_add_overflow(difference, (middle << 32) - middle, &sum) ? 1 : 0;
  return sum + (kEpsilon & (0 - carry));
}

constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return reduce(static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64));
}

constexpr std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base = multiply(base, base))
    if ((exponent & 1) != 0) result = multiply(result, base);
  return result;
}

/// Returns 1 / a for a that is not 0 mod p, and 0 for 0.
constexpr std::uint64_t inverse(std::uint64_t a) { return power(a, kModulus - 2); }

}  // namespace tacit::merkle::goldilocks
