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

// Depth against precision at each degree, all at 128 bits; the number of special primes is the digit size.
const std::vector<CkksLiteral>& all() {
  static const std::vector<CkksLiteral> sets = {
      leveled("N13-d4", 13, 36, 4, 30, 1, 50),   leveled("N13-d5", 13, 28, 5, 26, 2, 28),
      leveled("N14-d7", 14, 50, 7, 40, 2, 50),   leveled("N14-d9", 14, 45, 9, 32, 2, 48),
      leveled("N15-d14", 15, 50, 14, 40, 5, 50), leveled("N15-d15", 15, 50, 15, 40, 4, 50),
      leveled("N16-d32", 16, 50, 32, 40, 8, 50),
  };
  return sets;
}

}  // namespace

std::vector<std::string> named_literals() {
  std::vector<std::string> names;
  for (const CkksLiteral& set : all()) names.push_back(set.name);
  return names;
}

CkksLiteral named_literal(std::string_view name) {
  for (const CkksLiteral& set : all())
    if (set.name == name) return set;
  throw base::InputError(
      fmt::format("there is no parameter set named '{}'; the sets are {}", name, fmt::join(named_literals(), ", ")));
}

}  // namespace tacit::params
