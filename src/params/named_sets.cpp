#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "base/error.h"
#include "params/ckks_parameters.h"

namespace tacit::params {
namespace {

std::vector<int> times(std::size_t count, int bits) { return std::vector<int>(count, bits); }

CkksLiteral leveled(std::string name, int log_n, int first, std::size_t depth, int scale, std::size_t special,
                    int special_bits) {
  std::vector<int> q = times(depth + 1, scale);
  q[0] = first;
  return {.name = std::move(name),
          .log_n = log_n,
          .q_bits = std::move(q),
          .p_bits = times(special, special_bits),
          .log_scale = scale};
}

// Depth against precision at each degree, all at 128 bits; the number of special primes is the digit size. Special
// primes have 47 bits where that exceeds a digit: below 2^47 transforms and conversions need the fewest corrections.
const std::vector<CkksLiteral>& all_sets() {
  static const std::vector<CkksLiteral> sets = {
      leveled("N13-d4", 13, 36, 4, 30, 1, 47),   leveled("N13-d5", 13, 28, 5, 26, 2, 28),
      leveled("N14-d7", 14, 50, 7, 40, 2, 47),   leveled("N14-d9", 14, 45, 9, 32, 2, 47),
      leveled("N15-d14", 15, 50, 14, 40, 5, 47), leveled("N15-d15", 15, 50, 15, 40, 4, 47),
      leveled("N16-d32", 16, 50, 32, 40, 8, 47),
  };
  return sets;
}

/// `chain`: bits of q_0 | slots to coefficients, message | sine | coefficients to slots. The sine's primes are those of
/// its last level first. `sine`: the number of primes of each of its levels, the first level first.
CkksLiteral bootstrapping(std::string name, int log_n, int scale, int slots_to_coefficients,
                          const std::array<std::vector<int>, 4>& chain, std::vector<int> special,
                          std::vector<int> digits, std::vector<int> sine) {
  std::vector<int> q;
  for (const std::vector<int>& part : chain) q.insert(q.end(), part.begin(), part.end());
  return {.name = std::move(name),
          .log_n = log_n,
          .q_bits = std::move(q),
          .p_bits = std::move(special),
          .log_scale = scale,
          .digits = std::move(digits),
          .bootstrap = BootstrapLiteral{.slots_to_coefficients = slots_to_coefficients,
                                        .sine = std::move(sine),
                                        .coefficients_to_slots = static_cast<int>(chain.back().size()),
                                        .ephemeral_weight = 32}};
}

// Message levels against the size of keys (the number of digits). The primes of coefficients to slots give its
// diagonals their precision, of which the first factor needs most, and no more; up to 47 bits transforms are fastest.
// The sine loses every bit that its primes do. Its second level is made of two: the square of its first level's result,
// at a scale raised by two bits, is where rounding costs most. The precise set has two primes in nearly every level.
const std::vector<CkksLiteral>& refreshable() {
  static const auto n16 = [](std::string name, std::size_t message, std::vector<int> special, std::vector<int> digits) {
    return bootstrapping(std::move(name), 16, 40, 3,
                         {{{50}, times(3 + message, 40), {50, 50, 50, 50, 50, 50, 29, 29, 50}, times(4, 47)}},
                         std::move(special), std::move(digits), {1, 2, 1, 1, 1, 1, 1, 1});
  };
  static const std::vector<CkksLiteral> sets = {
      // The bits that coefficients to slots spare are where the sine rounds most.
      bootstrapping("N15-S5", 15, 32, 2, {{{45}, times(2 + 5, 32), {45, 46, 47, 47, 47, 47, 27, 27, 46}, {38, 41, 43}}},
                    times(2, 48), {}, {1, 2, 1, 1, 1, 1, 1, 1}),
      n16("S8", 8, times(12, 47), {13, 12}),
      n16("S11", 11, times(9, 47), {10, 9, 9}),
      n16("S14", 14, times(8, 47), {9, 9, 8, 5}),
      n16("S15", 15, times(8, 46), {8, 9, 7, 8}),
      bootstrapping(
          "P30", 16, 45, 3,
          {{{50}, times(3 + 7, 45), {49, 26, 27, 28, 29, 27, 28, 28, 29, 28, 28, 30, 30, 29, 29}, times(4, 47)}},
          times(12, 48), {11, 10, 9}, {2, 2, 2, 2, 2, 2, 2, 1}),
  };
  return sets;
}

std::vector<std::string> names_of(const std::vector<CkksLiteral>& sets) {
  std::vector<std::string> names;
  for (const CkksLiteral& set : sets) names.push_back(set.name);
  return names;
}

}  // namespace

std::vector<std::string> named_literals() { return names_of(all_sets()); }
std::vector<std::string> bootstrapping_literals() { return names_of(refreshable()); }

CkksLiteral named_literal(std::string_view name) {
  for (const auto* sets : {&all_sets(), &refreshable()})
    for (const CkksLiteral& set : *sets)
      if (set.name == name) return set;
  base::refuse("there is no parameter set named '{}'; the sets are {}, {}", name, fmt::join(named_literals(), ", "),
               fmt::join(bootstrapping_literals(), ", "));
}

}  // namespace tacit::params
