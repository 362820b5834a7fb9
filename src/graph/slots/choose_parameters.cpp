#include "graph/slots/choose_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "params/account.h"

namespace tacit::graph::passes {
namespace {

constexpr int kLargestPrimeBits = 50;
constexpr int kUsualScaleBits = 40;  // to compare key switches
constexpr double kTableSlackBits = 2;
constexpr int kMostSpecialPrimes = 12;
constexpr int kSmallestScaleBits = 20, kTightHeadroomBits = 6;

int smallest_scale_bits(int log_n, bool approximations) {
  // Rounding at a rescale has deviation about N / 6 in a slot, before the division by the scale.
  const double noise_bits = log_n - std::log2(6.0);
  return static_cast<int>(std::ceil(noise_bits + (approximations ? 20 : 15)));
}

params::CkksLiteral literal_of(int log_n, int depth, int scale, int first_bits, int special, int p_bits) {
  std::vector<int> q(static_cast<std::size_t>(depth) + 1, scale), p(static_cast<std::size_t>(special), p_bits);
  q[0] = first_bits;
  return {fmt::format("N{}-d{}", log_n, depth), log_n, std::move(q), std::move(p), scale, false};
}

// Returns the words of the transforms of a key switch, summed over the levels, for primes of one size. The sizes of
// primes only decide which sets fit.
double key_switch_price(int log_n, int depth, int special) {
  const params::Account account(literal_of(log_n, depth, kUsualScaleBits, kUsualScaleBits, special, kUsualScaleBits));
  double words = 0;
  for (int level = 0; level <= depth; ++level) words += account.rotate(level).transform_words();
  return words;
}

}  // namespace

std::vector<params::CkksLiteral> trading_literals(int log_n, const ParameterNeeds& needs) {
  const double budget = params::max_log_qp(log_n, 128) - kTableSlackBits;
  std::vector<std::pair<double, params::CkksLiteral>> priced;
  for (int special = 1; special <= std::min(kMostSpecialPrimes, needs.depth + 1); ++special) {
    const auto fitting = [&]() -> std::optional<params::CkksLiteral> {
      for (int scale = needs.largest_scale_bits; scale >= kSmallestScaleBits; --scale)
        for (const int headroom : {needs.output_headroom_bits, kTightHeadroomBits}) {
          const int first_bits = std::min(kLargestPrimeBits, scale + headroom);
          const int digit = first_bits + (special - 1) * scale;
          const int p_bits = std::min(kLargestPrimeBits, (digit + special - 1) / special + 1);
          if (p_bits * special < digit || first_bits + needs.depth * scale + p_bits * special > budget) continue;
          params::CkksLiteral literal = literal_of(log_n, needs.depth, scale, first_bits, special, p_bits);
          if (params::CkksParameters::possible(literal)) return literal;  // small primes are few
        }
      return std::nullopt;
    }();
    if (fitting) priced.emplace_back(key_switch_price(log_n, needs.depth, special), *fitting);
  }
  std::stable_sort(priced.begin(), priced.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<params::CkksLiteral> result;
  for (auto& [price, literal] : priced) result.push_back(std::move(literal));
  return result;
}

std::optional<params::CkksLiteral> literal_for(int log_n, const ParameterNeeds& needs) {
  const double budget = params::max_log_qp(log_n, 128) - kTableSlackBits;
  std::optional<params::CkksLiteral> best;
  double best_price = std::numeric_limits<double>::infinity();
  const int smallest = smallest_scale_bits(log_n, needs.approximations);
  const int largest = std::min(needs.largest_scale_bits, kLargestPrimeBits - needs.output_headroom_bits);
  if (static_cast<double>(needs.depth) * smallest > budget) return std::nullopt;
  for (int special = 1; special <= std::min(kMostSpecialPrimes, needs.depth + 1); ++special) {
    const double words = key_switch_price(log_n, needs.depth, special);
    for (int scale = largest; scale >= smallest; --scale) {
      // Small scales leave the first prime room for larger outputs.
      const int spare = static_cast<int>(budget) - (needs.depth * scale);
      const int first = std::min(kLargestPrimeBits, scale + std::max(needs.output_headroom_bits, 14));
      for (const int first_bits : {first, scale + needs.output_headroom_bits}) {
        const int digit = first_bits + (special - 1) * scale;
        const int p_bits = std::min(kLargestPrimeBits, (digit + special - 1) / special + 1);
        if (p_bits * special < digit || first_bits + p_bits * special > spare) continue;
        // A bit of scale is worth one per cent of time. Precision beyond the need does not justify more digits.
        const double price = words * (1 + 0.01 * (largest - scale));
        if (price >= best_price) break;
        best_price = price;
        best = literal_of(log_n, needs.depth, scale, first_bits, special, p_bits);
        break;
      }
    }
  }
  return best;
}

base::Infeasible too_deep(const ParameterNeeds& needs) {
  ParameterNeeds shallower = needs;
  while (shallower.depth > 0 && !literal_for(kLargestLogN, shallower)) --shallower.depth;
  return {.what = fmt::format("the network needs {} levels", needs.depth),
          .bound = fmt::format("the largest parameter set without bootstrapping (N = 2^{}) has {}", kLargestLogN,
                               shallower.depth),
          .way_out = "use fewer layers, squares instead of approximated functions, or a lower degree",
          .lack = base::Infeasible::Lack::levels};
}

}  // namespace tacit::graph::passes
