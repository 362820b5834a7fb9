#include "params/key_switch_primes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tacit::params {
namespace {

// A digit is converted like the special primes, of which one more is dropped by a rescale.
constexpr int kMaxDigit = 16;
// Of a relinearisation: at P q_l / digit = 2^3 the key's noise is about that of the rounding.
constexpr int kProductMargin = 3;
/// The bits by which the error of the relinearisation key of several parts exceeds that of one secret.
int parts_margin(const CkksLiteral& literal) {
  if (literal.parts == 1) return 0;
  const double terms = std::exp2(literal.log_n + (literal.real_slots ? 1 : 0));
  return static_cast<int>(std::ceil(std::log2(literal.parts * std::sqrt(4 * terms / 3))));
}
// Where there are special primes to spare.
constexpr int kSpareMargin = 6;

int bits_of(const std::vector<int>& primes, std::size_t first, std::size_t last) {
  return std::accumulate(primes.begin() + static_cast<std::ptrdiff_t>(first),
                         primes.begin() + static_cast<std::ptrdiff_t>(last), 0);
}

}  // namespace

bool says_its_digits(const CkksLiteral& literal) { return !literal.digits.empty() || literal.bootstrap.has_value(); }

std::vector<std::size_t> longest_digits(std::size_t primes,
                                        const std::function<bool(std::size_t first, std::size_t last)>& fits) {
  std::vector<std::size_t> digits;
  for (std::size_t first = 0; first < primes; first += digits.back()) {
    std::size_t count = 1;
    while (first + count < primes && count < kMaxDigit && fits(first, first + count + 1)) ++count;
    digits.push_back(count);
  }
  return digits;
}

std::optional<base::Infeasible> problem_of_digits(const CkksLiteral& literal) {
  if (literal.digits.empty()) return std::nullopt;
  const auto problem = [&](const std::string& why) {
    return base::Infeasible{fmt::format("parameter set '{}': {}", literal.name, why)};
  };
  for (const int digit : literal.digits)
    if (digit < 1 || digit > kMaxDigit)
      return problem(fmt::format("a digit of {} primes is outside 1 to {}", digit, kMaxDigit));
  const int sum = std::accumulate(literal.digits.begin(), literal.digits.end(), 0);
  if (static_cast<std::size_t>(sum) != literal.q_bits.size())
    return problem(fmt::format("the digits list {} primes in all, but q_bits has {}", sum, literal.q_bits.size()));
  return std::nullopt;
}

std::vector<std::size_t> digits_of(const CkksLiteral& literal) {
  if (const auto problem = problem_of_digits(literal)) problem->refuse();
  if (!literal.digits.empty()) return {literal.digits.begin(), literal.digits.end()};
  std::vector<std::size_t> digits;
  for (std::size_t left = literal.q_bits.size(); left > 0; left -= digits.back())
    digits.push_back(std::min(left, literal.p_bits.size()));
  return digits;
}

std::vector<std::size_t> product_digits_of(const CkksLiteral& literal) {
  if (says_its_digits(literal)) return digits_of(literal);
  const std::vector<int>& q = literal.q_bits;
  const int special = std::accumulate(literal.p_bits.begin(), literal.p_bits.end(), 0);
  const int margin = kProductMargin + parts_margin(literal);
  // At every level that has primes of the digit: what is left of it there, against P and the last prime.
  return longest_digits(q.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t level = std::max<std::size_t>(first, 1); level < q.size(); ++level)
      if (bits_of(q, first, std::min(last, level + 1)) + margin > special + q[level]) return false;
    return true;
  });
}

std::vector<std::size_t> special_primes(const CkksLiteral& literal, const std::vector<std::size_t>& digits) {
  std::vector<std::size_t> result;
  int largest = 0;
  for (const std::size_t digit : digits) {
    int bits = 0;
    for (std::size_t i = 0; i < digit; ++i) {
      bits += literal.q_bits[result.size()];
      largest = std::max(largest, bits);
      std::size_t count = 0;
      for (int left = largest + kSpareMargin; left > 0 && count < literal.p_bits.size(); ++count)
        left -= literal.p_bits[count];
      result.push_back(count);
    }
  }
  return result;
}

namespace {
Gadget with_special_primes(const CkksLiteral& literal, std::vector<std::size_t> digits) {
  std::vector<std::size_t> special = special_primes(literal, digits);
  return {std::move(digits), std::move(special)};
}
}  // namespace

Gadget gadget_of(const CkksLiteral& literal) { return with_special_primes(literal, digits_of(literal)); }
Gadget product_gadget_of(const CkksLiteral& literal) {
  return with_special_primes(literal, product_digits_of(literal));
}
Gadget raising_gadget_of(const CkksLiteral& literal) {
  return {.digits = {literal.q_bits.size()}, .special_primes = std::vector<std::size_t>(literal.q_bits.size(), 1)};
}

}  // namespace tacit::params
