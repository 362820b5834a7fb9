#include "ring/modulus.h"

#include <bit>
#include <string>
#include <utility>

namespace tacit::ring {
namespace {

/// p^-1 modulo 2^52 for odd p: each Newton step doubles the correct bits, of which p itself has three.
std::uint64_t inverse_modulo_two52(std::uint64_t p) {
  std::uint64_t inverse = p;
  for (int bits = 3; bits < 52; bits *= 2) inverse *= 2 - p * inverse;
  return inverse & ((std::uint64_t{1} << 52) - 1);
}

}  // namespace

Modulus::Modulus(std::uint64_t q) {
  if (q <= 2 || q >= std::uint64_t{1} << 50 || q % 2 == 0)
    throw base::InputError("modulus " + std::to_string(q) + ": expected an odd prime above 2 and below 2^50");
  words_.q = q;
  words_.bits = static_cast<std::uint64_t>(std::bit_width(q));
  words_.ratio64 = ~std::uint64_t{0} / q;
  words_.ratio52 = (std::uint64_t{1} << 52) / q;
  words_.mu = static_cast<std::uint64_t>((static_cast<Wide>(1) << (words_.bits + 51)) / q);
  words_.two52 = (std::uint64_t{1} << 52) % q;
  words_.two52_shoup = shoup(words_.two52);
  words_.two104 = static_cast<std::uint64_t>(static_cast<Wide>(words_.two52) * words_.two52 % q);
  words_.two104_shoup = shoup(words_.two104);
  words_.inverse52 = inverse_modulo_two52(q);
  words_.two52_inverse = inverse(words_.two52);
}

std::uint64_t Modulus::pow(std::uint64_t a, std::uint64_t exponent) const {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = mul(result, a);
    a = mul(a, a);
  }
  return result;
}

std::uint64_t Modulus::inverse(std::uint64_t a) const {
  // Extended Euclid: r0 = s0 * a (mod q) throughout.
  std::int64_t s0 = 1, s1 = 0;
  std::uint64_t r0 = a, r1 = words_.q;
  while (r1 != 0) {
    const std::uint64_t quotient = r0 / r1;
    r0 = std::exchange(r1, r0 - quotient * r1);
    s0 = std::exchange(s1, s0 - static_cast<std::int64_t>(quotient) * s1);
  }
  if (r0 != 1) throw base::InternalError(std::to_string(a) + " has no inverse modulo " + std::to_string(words_.q));
  return reduce_signed(s0);
}

std::uint64_t Modulus::shoup(std::uint64_t w) const {
  TACIT_ASSERT(w < words_.q);
  return static_cast<std::uint64_t>((static_cast<Wide>(w) << 52) / words_.q);
}

}  // namespace tacit::ring
