#include "params/requirement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.h"

namespace tacit::params {
namespace {

constexpr int kLargestPrime = 50, kSmallestPrime = 25;
constexpr int kMinFraction = 20, kMaxFraction = 49;
constexpr std::size_t kMostSpecial = 10;

struct Field {
  std::string_view name;
  int Requirement::*value;
};
constexpr Field kFields[] = {{"slots", &Requirement::slots},
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
  const auto refuse = [&](const std::string& why) {
    throw base::InputError(fmt::format("requirement '{}': {}", r.to_string(), why));
  };
  const int min_slots = r.security_bits == 0 ? 8 : 512;
  if (r.slots < min_slots || r.slots > 65536 || (r.slots & (r.slots - 1)) != 0)
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

/// Limb transforms and (at a fifth of one) multiply-accumulates of a rotation with `limbs` limbs and `special` special
/// primes.
double rotation_work(double limbs, double special) {
  const double digits = std::ceil(limbs / special), extended = limbs + special;
  return (digits + 2) * extended + 0.2 * (limbs * limbs + 2 * special * limbs + 2 * digits * extended);
}

}  // namespace

Requirement Requirement::parse(std::string_view text) {
  Requirement result;
  const std::vector<std::string_view> list = words(text);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto field =
        std::find_if(std::begin(kFields), std::end(kFields), [&](const Field& f) { return f.name == list[i]; });
    if (field == std::end(kFields))
      throw base::InputError(
          fmt::format("requirement: unknown word '{}'; expected slots, depth, fraction, integer or "
                      "security, each with a number",
                      list[i].substr(0, 50)));
    int value = 0;
    const std::string_view number = i + 1 < list.size() ? list[i + 1] : std::string_view();
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (number.empty() || error != std::errc() || end != number.data() + number.size())
      throw base::InputError(
          fmt::format("requirement: {} needs a number, not '{}'", field->name, number.substr(0, 50)));
    result.*(field->value) = value;
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
  CkksLiteral& literal = result.literal;
  while ((2 << literal.log_n) <= r.slots * 2) ++literal.log_n;
  literal.name = fmt::format("tiles-{}-d{}", r.slots, r.depth);
  literal.log_scale = r.fraction_bits;
  literal.insecure = r.security_bits == 0;
  literal.q_bits = base_primes(r);
  result.base_level = static_cast<int>(literal.q_bits.size()) - 1;
  literal.q_bits.insert(literal.q_bits.end(), static_cast<std::size_t>(r.depth), r.fraction_bits);
  const double log_q = std::accumulate(literal.q_bits.begin(), literal.q_bits.end(), 0.0);
  const double bound = r.security_bits == 0 ? 1e9 : max_log_qp(literal.log_n, r.security_bits);
  double best = -1;
  for (std::size_t special = 1; special <= std::min(kMostSpecial, literal.q_bits.size()); ++special) {
    int digit = 0;
    for (std::size_t first = 0; first < literal.q_bits.size(); first += special) {
      int bits = 0;
      for (std::size_t i = first; i < std::min(first + special, literal.q_bits.size()); ++i) bits += literal.q_bits[i];
      digit = std::max(digit, bits);
    }
    const int each = static_cast<int>((digit + static_cast<int>(special) - 1) / static_cast<int>(special)) + 1;
    const int bits = std::clamp(each, kSmallestPrime, kLargestPrime);
    if (bits * static_cast<int>(special) < digit || log_q + static_cast<double>(special) * bits > bound) continue;
    double work = 0;
    for (int level = result.base_level; level <= result.base_level + r.depth; ++level)
      work += rotation_work(level + 1, static_cast<double>(special));
    if (best >= 0 && work >= best) continue;
    best = work;
    literal.p_bits.assign(special, bits);
  }
  if (best < 0)
    throw base::InputError(
        fmt::format("requirement '{}': its primes have {:.0f} bits before any for key switching, and {}-bit security "
                    "allows {:.0f} in all "
                    "at N = 2^{}; ask for more slots, less depth or fewer bits",
                    r.to_string(), log_q, r.security_bits, bound, literal.log_n));
  CkksParameters::check(literal);
  return result;
}

}  // namespace tacit::params
