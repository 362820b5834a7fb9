#include "params/rotation_primes.h"

#include <numeric>
#include <utility>

#include "params/key_switch_primes.h"

namespace tacit::params {

double key_switch_price(const Work& work) { return work.transform_words() / 3 + work.multiply_accumulates(); }

CkksLiteral for_rotations(const CkksLiteral& literal, int top) {
  const std::size_t limbs = static_cast<std::size_t>(top) + 1, primes = literal.q_bits.size();
  if (says_its_digits(literal) || limbs >= primes) return literal;
  const auto price = [&](const CkksLiteral& candidate) { return key_switch_price(Account(candidate).rotate(top)); };
  CkksLiteral best = literal;
  double least = price(literal);
  for (std::size_t taken = 1; taken <= primes - limbs && literal.p_bits.size() + taken <= kMaxSpecialPrimes; ++taken) {
    CkksLiteral candidate = literal;
    candidate.q_bits.resize(limbs);
    candidate.p_bits.assign(literal.q_bits.end() - static_cast<std::ptrdiff_t>(taken), literal.q_bits.end());
    candidate.p_bits.insert(candidate.p_bits.end(), literal.p_bits.begin(), literal.p_bits.end());
    const int bits = std::accumulate(candidate.p_bits.begin(), candidate.p_bits.end(), 0);
    const std::vector<std::size_t> digits = longest_digits(limbs, [&](std::size_t first, std::size_t last) {
      const auto begin = candidate.q_bits.begin();
      return std::accumulate(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last),
                             kKeyMargin) <= bits;
    });
    candidate.digits.assign(digits.begin(), digits.end());
    const double now = price(candidate);
    if (now >= least) continue;
    least = now;
    best = std::move(candidate);
  }
  return best;
}

}  // namespace tacit::params
