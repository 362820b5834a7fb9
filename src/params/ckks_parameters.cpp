#include "params/ckks_parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/sha256.h"
#include "params/bootstrap_chain.h"
#include "params/key_switch_primes.h"
#include "params/ntt_primes.h"
#include "params/rotation_primes.h"

namespace tacit::params {
namespace {

constexpr int kMinPrimeBits = 20;
constexpr int kMaxPrimeBits = 50;
constexpr int kMinLogN = 10, kMinInsecureLogN = 4, kMaxLogN = 17;
constexpr std::size_t kMaxCiphertextPrimes = 128;
// Primes lie this little below the power of two that names them, in bits.
constexpr double kPrimeGap = 0.02;

/// The bound that a set breaks, or none.
using Problem = std::optional<base::Infeasible>;

template <class... Args>
base::Infeasible problem(const CkksLiteral& literal, fmt::format_string<Args...> format, Args&&... args) {
  return {fmt::format("parameter set '{}': {}", literal.name.substr(0, kMaxNameLength),
                      fmt::format(format, std::forward<Args>(args)...))};
}

double log2_product(std::span<const std::uint64_t> primes) {
  double sum = 0;
  for (const std::uint64_t prime : primes) sum += std::log2(static_cast<double>(prime));
  return sum;
}

Problem problem_of_shape(const CkksLiteral& literal) {
  if (literal.name.size() > kMaxNameLength)
    return problem(literal, "the name has {} characters; at most {} are allowed", literal.name.size(), kMaxNameLength);
  const int min_log_n = literal.insecure ? kMinInsecureLogN : kMinLogN;
  if (literal.log_n < min_log_n || literal.log_n > kMaxLogN)
    return problem(literal, "log_n is {}, outside {} to {}{}", literal.log_n, min_log_n, kMaxLogN,
                   literal.insecure ? "" : " (smaller rings need \"insecure\": true and are for tests only)");
  if (literal.q_bits.empty() || literal.q_bits.size() > kMaxCiphertextPrimes)
    return problem(literal, "q_bits lists {} ciphertext primes; 1 to {} are allowed", literal.q_bits.size(),
                   kMaxCiphertextPrimes);
  if (literal.p_bits.empty() || literal.p_bits.size() > kMaxSpecialPrimes)
    return problem(literal, "p_bits lists {} special primes; 1 to {} are allowed", literal.p_bits.size(),
                   kMaxSpecialPrimes);
  for (const auto* list : {&literal.q_bits, &literal.p_bits}) {
    for (const int bits : *list) {
      if (bits < kMinPrimeBits || bits > kMaxPrimeBits)
        return problem(literal, "a prime of {} bits is outside {} to {} bits", bits, kMinPrimeBits, kMaxPrimeBits);
    }
  }
  if (literal.real_slots && literal.bootstrap)
    return problem(literal, "a set with real slots is leveled; drop 'bootstrap' or 'real_slots'");
  if (literal.parts < 1 || literal.parts > kMostParts)
    return problem(literal, "its key is a sum of {} secrets; 1 to {} are allowed", literal.parts, kMostParts);
  if (literal.parts > 1 && literal.bootstrap)
    return problem(literal,
                   "its key is a sum of {} secrets, and bootstraps are made for a key of one; drop 'bootstrap' or "
                   "'parts'",
                   literal.parts);
  const int margin = 1;
  if (literal.log_scale < 1 || literal.log_scale > literal.q_bits[0] - margin)
    return problem(
        literal,
        "log_scale is {} but q_0 has {} bits: at level 0 a value needs a scale from 1 to {} bits; lower log_scale "
        "or raise q_bits[0]",
        literal.log_scale, literal.q_bits[0], literal.q_bits[0] - margin);
  return std::nullopt;
}

// The noise of a key switch is (largest digit) / P times a constant: P must not be smaller than a digit.
Problem problem_of_key_switch(const CkksLiteral& literal, const std::vector<std::uint64_t>& q,
                              const std::vector<std::uint64_t>& p, const std::vector<std::size_t>& digits) {
  const double log_p = log2_product(p);
  std::size_t first = 0;
  for (const std::size_t digit : digits) {
    const std::size_t last = first + digit;
    const double log_digit = log2_product(std::span(q).subspan(first, digit));
    if (log_digit > log_p)
      return problem(
          literal,
          "the special primes have {:.1f} bits together, less than the {:.1f} bits of the digit q_{} to q_{}; raise "
          "p_bits by {} bits in all",
          log_p, log_digit, first, last - 1, static_cast<int>(std::ceil(log_digit - log_p - kPrimeGap)));
    first = last;
  }
  return std::nullopt;
}

// Special primes take the largest of their size, then ciphertext primes from the top level down, so that the primes
// nearest to the scale are where later squarings would double their deviation. Where bootstraps set the scales of
// levels of 50 bits, these need not lie near a power of two.
Problem find_primes(const CkksLiteral& literal, std::vector<std::uint64_t>& q, std::vector<std::uint64_t>& p) {
  const std::uint64_t modulus = std::uint64_t{literal.real_slots ? 4U : 2U} << literal.log_n;
  std::map<int, std::size_t> wanted;
  for (const int bits : literal.q_bits) ++wanted[bits];
  for (const int bits : literal.p_bits) ++wanted[bits];
  std::map<int, std::vector<std::uint64_t>> found;
  for (const auto& [bits, count] : wanted) {
    const bool fast = bits == 50 && literal.bootstrap;
    found[bits] = largest_ntt_primes(bits, modulus, count, {}, fast ? kFastPrimeOf50Bits : ~std::uint64_t{0});
    if (found[bits].size() < count)
      return problem(
          literal, "it needs {} primes of {} bits that are 1 modulo {}N = {}, but there are only {}; use larger primes",
          count, bits, literal.real_slots ? 4 : 2, modulus, found[bits].size());
  }
  std::map<int, std::size_t> used;
  const auto take = [&](int bits) { return found[bits][used[bits]++]; };
  for (const int bits : literal.p_bits) p.push_back(take(bits));
  q.resize(literal.q_bits.size());
  for (std::size_t i = q.size(); i-- > 0;) q[i] = take(literal.q_bits[i]);
  return std::nullopt;
}

std::string way_out(const CkksLiteral& literal, double log_qp, double bound) {
  std::string advice = fmt::format("take {} bits out of q_bits or p_bits", static_cast<int>(std::ceil(log_qp - bound)));
  for (int log_n = literal.log_n + 1; log_n <= kMaxLogN; ++log_n) {
    if (max_log_qp(log_n, 128) >= log_qp)
      return advice + fmt::format(", or use log_n = {} (bound {})", log_n, max_log_qp(log_n, 128));
  }
  return advice;
}

// The ephemeral secret is sparse: its own key lives at modulus q_0 p_0 alone, which has its own bound.
Problem problem_of_ephemeral(const CkksLiteral& literal, const std::vector<std::uint64_t>& q,
                             const std::vector<std::uint64_t>& p) {
  const double log_qp = std::log2(static_cast<double>(q[0])) + std::log2(static_cast<double>(p[0]));
  const double bound = max_log_qp_ephemeral(literal.log_n, literal.bootstrap->ephemeral_weight);
  if (log_qp > bound)
    return problem(
        literal,
        "the key under the ephemeral secret of weight {} has a modulus q_0 p_0 of {:.1f} bits, above the bound {} "
        "for N = 2^{}; use weight 32, N = 2^15 or 2^16, and a smaller q_bits[0] or p_bits[0]",
        literal.bootstrap->ephemeral_weight, log_qp, bound, literal.log_n);
  return std::nullopt;
}

ParameterHash hash_of(const CkksLiteral& literal, const std::vector<std::uint64_t>& q,
                      const std::vector<std::uint64_t>& p) {
  // The name is for people: two sets that differ in nothing else are the same set.
  std::string text =
      fmt::format("tacit ckks parameters 1\nlog_n {}\nq {}\np {}\nlog_scale {}\ninsecure {}\n", literal.log_n,
                  fmt::join(q, " "), fmt::join(p, " "), literal.log_scale, literal.insecure);
  if (literal.real_slots) text += "real_slots\n";
  if (literal.parts > 1) text += fmt::format("parts {}\n", literal.parts);
  if (!literal.digits.empty()) text += fmt::format("digits {}\n", fmt::join(literal.digits, " "));
  if (const auto& b = literal.bootstrap)
    text += fmt::format("bootstrap {} | {} | {} | {}\n", b->slots_to_coefficients, fmt::join(b->sine, " "),
                        b->coefficients_to_slots, b->ephemeral_weight);
  return base::sha256(std::as_bytes(std::span(text)));
}

}  // namespace

CkksParameters CkksParameters::check(const CkksLiteral& literal) { return possible(literal).or_refuse(); }

base::Feasible<CkksParameters> CkksParameters::possible(const CkksLiteral& literal) {
  if (auto broken = problem_of_shape(literal)) return *std::move(broken);
  if (literal.bootstrap)
    if (const auto chain = possible_chain(literal); !chain) return chain.problem();
  if (auto broken = problem_of_digits(literal)) return *std::move(broken);
  CkksParameters result;
  result.literal_ = literal;
  result.gadget_ = gadget_of(literal);
  result.product_gadget_ = product_gadget_of(literal);
  if (auto broken = find_primes(literal, result.q_, result.p_)) return *std::move(broken);
  if (auto broken = problem_of_key_switch(literal, result.q_, result.p_, result.gadget_.digits))
    return *std::move(broken);
  result.log_qp_ = log2_product(result.q_) + log2_product(result.p_);
  if (!literal.insecure) {
    const double bound = max_log_qp(literal.log_n, 128);
    if (result.log_qp_ > bound)
      return problem(
          literal, "log2(QP) is {:.2f}, which exceeds the 128-bit security bound {} for N = 2^{} by {:.2f} bits; {}",
          result.log_qp_, bound, literal.log_n, result.log_qp_ - bound, way_out(literal, result.log_qp_, bound));
    if (literal.bootstrap)
      if (auto broken = problem_of_ephemeral(literal, result.q_, result.p_)) return *std::move(broken);
    for (const int bits : {128, 192, 256})
      if (result.log_qp_ <= max_log_qp(literal.log_n, bits)) result.security_bits_ = bits;
  }
  result.hash_ = hash_of(literal, result.q_, result.p_);
  return result;
}

CkksParameters CkksParameters::for_rotations(int top) const {
  if (top < 0 || top > max_level()) base::refuse("rotations up to level {}: it is outside 0 to {}", top, max_level());
  CkksLiteral literal = params::for_rotations(literal_, top);
  if (literal == literal_) return *this;
  const auto borrowed = static_cast<std::ptrdiff_t>(literal.p_bits.size() - p_.size());
  CkksParameters result = *this;
  result.literal_ = std::move(literal);
  result.literal_.name += fmt::format(" for rotations up to level {}", top);
  result.p_.assign(q_.end() - borrowed, q_.end());
  result.p_.insert(result.p_.end(), p_.begin(), p_.end());
  result.q_.resize(static_cast<std::size_t>(top) + 1);
  result.gadget_ = result.product_gadget_ = gadget_of(result.literal_);
  if (const auto broken = problem_of_key_switch(result.literal_, result.q_, result.p_, result.gadget_.digits))
    broken->refuse();
  result.log_qp_ = log2_product(result.q_) + log2_product(result.p_);
  result.hash_ = hash_of(result.literal_, result.q_, result.p_);
  return result;
}

CkksLiteral without_primes(CkksLiteral literal, const std::vector<std::size_t>& digits, int first, int count) {
  literal.q_bits.erase(literal.q_bits.begin() + first, literal.q_bits.begin() + first + count);
  literal.digits.clear();
  int begin = 0;
  for (const std::size_t digit : digits) {
    const int end = begin + static_cast<int>(digit);
    const int missing = std::max(0, std::min(end, first + count) - std::max(begin, first));
    if (missing < end - begin) literal.digits.push_back(end - begin - missing);
    begin = end;
  }
  return literal;
}

CkksParameters CkksParameters::without(int first, int count) const {
  if (product_gadget_ != gadget_)
    throw base::InternalError(fmt::format("parameter set '{}': products have digits of their own", literal_.name));
  CkksParameters result = *this;
  result.literal_ = without_primes(literal_, gadget_.digits, first, count);
  result.literal_.name += fmt::format(" without q_{} to q_{}", first, first + count - 1);
  result.literal_.bootstrap.reset();
  result.q_.erase(result.q_.begin() + first, result.q_.begin() + first + count);
  result.gadget_ = result.product_gadget_ = gadget_of(result.literal_);
  result.log_qp_ = log2_product(result.q_) + log2_product(result.p_);
  result.hash_ = hash_of(result.literal_, result.q_, result.p_);
  return result;
}

double CkksParameters::log2_q(int level) const {
  return log2_product(std::span(q_).first(static_cast<std::size_t>(level) + 1));
}

ParameterIdentity CkksParameters::identity() const {
  return {literal_.name, security_bits_, hash_, fmt::format("N = 2^{}, log QP {:.1f}", literal_.log_n, log_qp_)};
}

}  // namespace tacit::params
