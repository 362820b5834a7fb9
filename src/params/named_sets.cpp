#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "params/ckks_parameters.h"

namespace tacit::params {
namespace {

std::vector<int> chain(int first, int count, int bits) {
  std::vector<int> result(static_cast<std::size_t>(count) + 1, bits);
  result[0] = first;
  return result;
}

CkksLiteral leveled(std::string name, int log_n, int first, int depth, int scale, int special, int special_bits) {
  return {.name = std::move(name),
          .log_n = log_n,
          .q_bits = chain(first, depth, scale),
          .p_bits = std::vector<int>(static_cast<std::size_t>(special), special_bits),
          .log_scale = scale,
          .insecure = false};
}

// Depth against precision at each degree, all at 128 bits; the number of special primes is the digit size. Special
// primes have 47 bits where that exceeds a digit: below 2^47 transforms and conversions need the fewest corrections.
const std::vector<CkksLiteral>& all() {
  static const std::vector<CkksLiteral> sets = {
      leveled("N13-d4", 13, 36, 4, 30, 1, 47),   leveled("N13-d5", 13, 28, 5, 26, 2, 28),
      leveled("N14-d7", 14, 50, 7, 40, 2, 47),   leveled("N14-d9", 14, 45, 9, 32, 2, 47),
      leveled("N15-d14", 15, 50, 14, 40, 5, 47), leveled("N15-d15", 15, 50, 15, 40, 4, 47),
      leveled("N16-d32", 16, 50, 32, 40, 8, 47),
  };
  return sets;
}

/// Bits of the chain q_0 | slots to coefficients | message | sine | coefficients to slots. The sine's second level is
/// made of two primes: the square of its first level's result, at a scale raised by two bits, is where rounding costs
/// most.
struct BootstrapShape {
  int log_n, first, stc, message, scale;
  std::vector<int> sine;  ///< all levels but its first and second, from the last one
  int pair_low, pair_high, argument;
  std::vector<int> cts;
  std::vector<int> special, digits;
};

CkksLiteral bootstrapping(std::string name, const BootstrapShape& shape) {
  std::vector<int> q{shape.first};
  const auto add = [&](int count, int bits) { q.insert(q.end(), static_cast<std::size_t>(count), bits); };
  add(shape.stc + shape.message, shape.scale);
  q.insert(q.end(), shape.sine.begin(), shape.sine.end());
  q.insert(q.end(), {shape.pair_low, shape.pair_high, shape.argument});
  q.insert(q.end(), shape.cts.begin(), shape.cts.end());
  return {.name = std::move(name),
          .log_n = shape.log_n,
          .q_bits = std::move(q),
          .p_bits = shape.special,
          .log_scale = shape.scale,
          .insecure = false,
          .digits = shape.digits,
          .bootstrap = BootstrapLiteral{.slots_to_coefficients = shape.stc,
                                        .sine = {1, 2, 1, 1, 1, 1, 1, 1},
                                        .coefficients_to_slots = static_cast<int>(shape.cts.size()),
                                        .ephemeral_weight = 32}};
}

std::vector<int> times(std::size_t count, int bits) { return std::vector<int>(count, bits); }

// Message levels against the size of keys (the number of digits). The primes of coefficients to slots give its
// diagonals their precision, of which the first factor needs most, and no more; up to 47 bits transforms are fastest.
// The sine loses every bit that its primes do.
const std::vector<CkksLiteral>& refreshable() {
  static const auto n16 = [](int message, std::vector<int> special, std::vector<int> digits) {
    return BootstrapShape{.log_n = 16,
                          .first = 50,
                          .stc = 3,
                          .message = message,
                          .scale = 40,
                          .sine = times(6, 50),
                          .pair_low = 29,
                          .pair_high = 29,
                          .argument = 50,
                          .cts = times(4, 47),
                          .special = std::move(special),
                          .digits = std::move(digits)};
  };
  static const std::vector<CkksLiteral> sets = {
      // The bits that coefficients to slots spare are where the sine rounds most.
      bootstrapping("N15-S5", {.log_n = 15,
                               .first = 45,
                               .stc = 2,
                               .message = 5,
                               .scale = 32,
                               .sine = {45, 46, 47, 47, 47, 47},
                               .pair_low = 27,
                               .pair_high = 27,
                               .argument = 46,
                               .cts = {38, 41, 43},
                               .special = times(2, 48),
                               .digits = {}}),
      bootstrapping("S8", n16(8, times(12, 47), {13, 12})),
      bootstrapping("S11", n16(11, times(9, 47), {10, 9, 9})),
      bootstrapping("S14", n16(14, times(8, 47), {9, 9, 8, 5})),
      bootstrapping("S15", n16(15, times(8, 46), {8, 9, 7, 8})),
  };
  return sets;
}

std::vector<std::string> names_of(const std::vector<CkksLiteral>& sets) {
  std::vector<std::string> names;
  for (const CkksLiteral& set : sets) names.push_back(set.name);
  return names;
}

}  // namespace

std::vector<std::string> named_literals() { return names_of(all()); }
std::vector<std::string> bootstrapping_literals() { return names_of(refreshable()); }

CkksLiteral named_literal(std::string_view name) {
  for (const auto* sets : {&all(), &refreshable()})
    for (const CkksLiteral& set : *sets)
      if (set.name == name) return set;
  throw base::InputError(fmt::format("there is no parameter set named '{}'; the sets are {}, {}", name,
                                     fmt::join(named_literals(), ", "), fmt::join(bootstrapping_literals(), ", ")));
}

}  // namespace tacit::params
