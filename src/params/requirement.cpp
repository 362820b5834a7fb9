#include "params/requirement.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/parse_number.h"
#include "params/key_switch_primes.h"
#include "params/rotation_primes.h"

namespace tacit::params {
namespace {

constexpr int kLargestPrime = 50, kSmallestPrime = 25;
constexpr int kMinFraction = 20, kMaxFraction = 49;
constexpr int kSmallestLogN = 4;
constexpr std::size_t kMostSpecial = 10;

struct Field {
  std::string_view name;
  int Requirement::*value;
};
constexpr Field kRequirementFields[] = {{"slots", &Requirement::slots},
                                        {"depth", &Requirement::depth},
                                        {"fraction", &Requirement::fraction_bits},
                                        {"integer", &Requirement::integer_bits},
                                        {"security", &Requirement::security_bits}};

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  const auto separates = [](char c) { return c == ',' || std::isspace(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && separates(text[at])) ++at;
    const std::size_t begin = at;
    while (at < text.size() && !separates(text[at])) ++at;
    if (at > begin) result.push_back(text.substr(begin, at - begin));
  }
  return result;
}

void check(const Requirement& r) {
  const auto refuse = [&](const std::string& why) { base::refuse("requirement '{}': {}", r.to_string(), why); };
  const int min_slots = r.security_bits == 0 ? 8 : 512;
  if (r.slots < min_slots || r.slots > 65536 || !std::has_single_bit(static_cast<unsigned>(r.slots)))
    refuse(fmt::format("slots must be a power of two from {} to 65536", min_slots));
  if (r.depth < 0 || r.depth > 100) refuse("depth must lie between 0 and 100");
  if (r.fraction_bits < kMinFraction || r.fraction_bits > kMaxFraction)
    refuse(fmt::format("fraction must lie between {} and {} bits", kMinFraction, kMaxFraction));
  if (r.integer_bits < 0 || r.integer_bits > 50) refuse("integer must lie between 0 and 50 bits");
  if (r.security_bits != 0 && r.security_bits != 128 && r.security_bits != 192 && r.security_bits != 256)
    refuse("security must be 128, 192 or 256 (0 marks a set for tests)");
}

/// Primes that together hold the scale, the integer part and a sign.
std::vector<int> base_primes(const Requirement& r) {
  const int total = std::max(r.fraction_bits + r.integer_bits + 2, kSmallestPrime);
  if (total <= kLargestPrime) return {total};
  const int first = std::max(r.fraction_bits + 1, (total + 1) / 2);
  return {first, std::max(total - first, kSmallestPrime)};
}

double bound_of(int log_n, int security_bits) { return security_bits == 0 ? 1e9 : max_log_qp(log_n, security_bits); }

int bits_of(std::span<const int> primes) { return std::accumulate(primes.begin(), primes.end(), 0); }

/// Bits of each of `special` special primes that are larger than every digit, within log2(QP) <= bound: as much larger
/// as makes the noise of the key no more than the rounding's where that fits. 0 if there is no room for them.
int special_prime_bits(std::span<const int> q_bits, std::size_t special, double bound) {
  int digit = 0;
  for (std::size_t first = 0; first < q_bits.size(); first += special)
    digit = std::max(digit, bits_of(q_bits.subspan(first, std::min(special, q_bits.size() - first))));
  const int count = static_cast<int>(special);
  const int least = std::max((digit + count - 1) / count, kSmallestPrime);
  const int room = static_cast<int>(std::min(1e6, bound - bits_of(q_bits))) / count;
  const int wanted = (digit + kKeyMargin + count - 1) / count;
  const int bits = std::min({std::max(wanted, least), room, kLargestPrime});
  return bits >= least ? bits : 0;
}

}  // namespace

Requirement Requirement::parse(std::string_view text) {
  Requirement result;
  const std::vector<std::string_view> list = words(text);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto field = std::ranges::find(kRequirementFields, list[i], &Field::name);
    if (field == std::end(kRequirementFields))
      base::refuse(
          "requirement: unknown word '{}'; expected slots, depth, fraction, integer or security, each with a number",
          list[i].substr(0, 50));
    const std::string_view number = i + 1 < list.size() ? list[i + 1] : std::string_view();
    const auto value = base::parse_number<int>(number);
    if (!value) base::refuse("requirement: {} needs a number, not '{}'", field->name, number.substr(0, 50));
    result.*(field->value) = *value;
    ++i;
    if (i + 1 < list.size() && list[i + 1] == "bits") ++i;
  }
  check(result);
  return result;
}

std::string Requirement::to_string() const {
  return fmt::format("slots {}, depth {}, fraction {} bits, integer {} bits, security {}", slots, depth, fraction_bits,
                     integer_bits, security_bits);
}

RequiredParameters parameters_for(const Requirement& r) {
  check(r);
  RequiredParameters result;
  CkksLiteral literal{.name = fmt::format("tiles-{}-d{}", r.slots, r.depth),
                      .q_bits = base_primes(r),
                      .p_bits = {},
                      .log_scale = r.fraction_bits,
                      .insecure = r.security_bits == 0};
  result.base_level = static_cast<int>(literal.q_bits.size()) - 1;
  literal.q_bits.insert(literal.q_bits.end(), static_cast<std::size_t>(r.depth), r.fraction_bits);
  const int log_slots = std::bit_width(static_cast<unsigned>(r.slots)) - 1;
  std::optional<double> best;
  for (const bool real_slots : {true, false}) {
    literal.real_slots = real_slots;
    literal.log_n = log_slots + (real_slots ? 0 : 1);
    if (literal.log_n < kSmallestLogN) continue;
    const double bound = bound_of(literal.log_n, r.security_bits);
    for (std::size_t special = 1; special <= std::min(kMostSpecial, literal.q_bits.size()); ++special) {
      const int bits = special_prime_bits(literal.q_bits, special, bound);
      if (bits == 0) continue;
      literal.p_bits.assign(special, bits);
      const Account account(literal);
      double price = 0;
      for (int level = result.base_level; level <= result.base_level + r.depth; ++level)
        price += key_switch_price(account.rotate(level));
      if (best && price >= *best) continue;
      best = price;
      result.literal = literal;
    }
  }
  if (!best)
    base::refuse(
        "requirement '{}': its primes have {} bits before any for key switching, and {}-bit security "
        "allows {:.0f} in all at N = 2^{}; ask for more slots, less depth or fewer bits",
        r.to_string(), bits_of(literal.q_bits), r.security_bits, bound_of(log_slots + 1, r.security_bits),
        log_slots + 1);
  CkksParameters::check(result.literal);
  return result;
}

}  // namespace tacit::params
