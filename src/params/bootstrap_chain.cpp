#include "params/bootstrap_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tacit::params {
namespace {

constexpr int kMaxTransformLevels = 6;
constexpr int kMaxPrimesOfLevel = 2;
constexpr double kLog2Failure = -128;
// The message takes up to this share of q_0 beside the overflow.
constexpr double kMessageShare = kMessageReach / (1 << kLeastLogRatio);

template <class... Args>
base::Infeasible bootstrap_problem(const CkksLiteral& literal, fmt::format_string<Args...> format, Args&&... args) {
  return {fmt::format("parameter set '{}', bootstrapping: {}", literal.name.substr(0, kMaxNameLength),
                      fmt::format(format, std::forward<Args>(args)...))};
}

}  // namespace

double log2_overflow_probability(double coefficients, int weight, int bound) {
  // With n terms P(sum > x) = 1/n! sum over k of (-1)^k binomial(n, k) (n/2 - x - k)^n, for as long as the power is
  // positive.
  const int terms = weight + 1;
  const double x = bound + 0.5 - kMessageShare;
  const double reach = terms / 2.0 - x;
  if (reach <= 0) return -std::numeric_limits<double>::infinity();
  long double sum = 0;
  for (int k = 0; k < reach; ++k) {
    const long double log_term = terms * std::log(static_cast<long double>(reach) - k) -
                                 std::lgamma(static_cast<long double>(k) + 1) -
                                 std::lgamma(static_cast<long double>(terms - k) + 1);
    sum += (k % 2 == 0 ? 1 : -1) * std::exp(log_term);
  }
  return static_cast<double>(std::log2(2 * sum * static_cast<long double>(coefficients)));
}

BootstrapChain chain_of(const CkksLiteral& literal) { return possible_chain(literal).or_refuse(); }

base::Feasible<BootstrapChain> possible_chain(const CkksLiteral& literal) {
  if (!literal.bootstrap)
    return bootstrap_problem(
        literal,
        "the set is leveled; use one of S8, S11, S14, S15, P30, N15-S5, or give the literal a 'bootstrap' section");
  const BootstrapLiteral& b = *literal.bootstrap;
  for (const auto& [levels, name] : {std::pair{b.slots_to_coefficients, "slots_to_coefficients"},
                                     std::pair{b.coefficients_to_slots, "coefficients_to_slots"}})
    if (levels < 1 || levels > std::min(kMaxTransformLevels, literal.log_n - 1))
      return bootstrap_problem(literal, "{} is {}, outside 1 to {}", name, levels,
                               std::min(kMaxTransformLevels, literal.log_n - 1));
  if (b.sine.size() != static_cast<std::size_t>(kCosineDepth + kDoubleAngles))
    return bootstrap_problem(
        literal, "the sine lists {} levels; it has {}: {} of a cosine of degree 30 and {} that double its angle",
        b.sine.size(), kCosineDepth + kDoubleAngles, kCosineDepth, kDoubleAngles);
  for (const int primes : b.sine)
    if (primes < 1 || primes > kMaxPrimesOfLevel)
      return bootstrap_problem(literal, "a level of the sine has {} primes, outside 1 to {}", primes,
                               kMaxPrimesOfLevel);
  BootstrapChain chain;
  chain.input = b.slots_to_coefficients;
  chain.top = static_cast<int>(literal.q_bits.size()) - 1;
  chain.sine.push_back(chain.top - b.coefficients_to_slots);
  for (const int primes : b.sine) chain.sine.push_back(chain.sine.back() - primes);
  chain.output = chain.sine.back();
  if (chain.output <= chain.input)
    return bootstrap_problem(
        literal,
        "{} ciphertext primes leave no level for messages: q_0, {} for slots to coefficients, {} for the sine and "
        "{} for coefficients to slots; add some",
        literal.q_bits.size(), b.slots_to_coefficients, std::accumulate(b.sine.begin(), b.sine.end(), 0),
        b.coefficients_to_slots);
  if (b.ephemeral_weight < 1 || b.ephemeral_weight > 1 << (literal.log_n - 1))
    return bootstrap_problem(literal, "ephemeral_weight is {}, outside 1 to N / 2", b.ephemeral_weight);
  const double failure = log2_overflow_probability(std::ldexp(1.0, literal.log_n), b.ephemeral_weight, kOverflowBound);
  if (failure > kLog2Failure)
    return bootstrap_problem(
        literal,
        "an ephemeral secret of weight {} overflows the sine's {} periods with probability 2^{:.1f}, above 2^{}; "
        "lower ephemeral_weight to 32",
        b.ephemeral_weight, kOverflowBound, failure, kLog2Failure);
  return chain;
}

int highest_message_level(const CkksLiteral& literal) {
  return literal.bootstrap ? chain_of(literal).output : static_cast<int>(literal.q_bits.size()) - 1;
}

int highest_fresh_level(const CkksLiteral& literal) {
  int level = highest_message_level(literal);
  if (!literal.bootstrap) return level;
  const std::vector<int>& primes = literal.bootstrap->sine;
  for (auto last = primes.rbegin(); last != primes.rend() && *last == 1; ++last) ++level;
  return level;
}

CkksLiteral with_output_level(const CkksLiteral& literal, int output) {
  const BootstrapChain chain = chain_of(literal);
  if (output <= chain.input || output > chain.output)
    bootstrap_problem(literal, "the output level {} is outside {} to {}", output, chain.input + 1, chain.output)
        .refuse();
  if (output == chain.output) return literal;
  CkksLiteral result =
      without_primes(literal, {literal.digits.begin(), literal.digits.end()}, output + 1, chain.output - output);
  result.name += fmt::format(" to level {}", output);
  return result;
}

}  // namespace tacit::params
