#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "params/tfhe_parameters.h"

namespace tacit::params {
namespace {

// What params::solve finds for the default 2-norms; a test compares them. Fields are in the order of the literal.
const std::vector<TfheLiteral>& all_tfhe_sets() {
  static const std::vector<TfheLiteral> sets = {
      {"T1", 1, 1, 680, 3, 9, 0, 19, 30, {17, 1}, {2, 6}, 0, -128},
      {"T2", 2, 3, 759, 2, 10, 0, 17, 17, {23, 1}, {3, 5}, 0, -128},
      {"T3", 3, 4, 839, 2, 10, 0, 15, 17, {23, 1}, {3, 5}, 0, -128},
      {"T4", 4, 5, 879, 1, 11, 0, 14, 17, {23, 1}, {2, 8}, 0, -128},
      {"T5", 5, 7, 918, 1, 11, 1, 13, 17, {15, 2}, {2, 8}, 0, -128},
      {"T6", 6, 9, 958, 1, 11, 2, 12, 17, {15, 2}, {2, 9}, 0, -128},
      {"T7", 7, 12, 998, 1, 11, 3, 11, 17, {15, 2}, {2, 10}, 0, -128},
      {"T8", 8, 17, 1077, 1, 11, 4, 9, 17, {15, 2}, {2, 10}, 0, -128},
      {"T1-64", 1, 1, 680, 3, 9, 0, 19, 30, {17, 1}, {2, 5}, 0, -64},
      {"T2-64", 2, 3, 720, 4, 9, 0, 18, 17, {23, 1}, {2, 6}, 0, -64},
      {"T3-64", 3, 4, 759, 2, 10, 0, 17, 17, {23, 1}, {2, 7}, 0, -64},
      {"T4-64", 4, 5, 839, 1, 11, 0, 15, 17, {23, 1}, {3, 5}, 0, -64},
      {"T5-64", 5, 7, 879, 1, 11, 1, 14, 17, {23, 1}, {3, 5}, 0, -64},
      {"T6-64", 6, 9, 918, 1, 11, 2, 13, 17, {15, 2}, {3, 6}, 0, -64},
      {"T7-64", 7, 12, 958, 1, 11, 3, 12, 17, {15, 2}, {3, 6}, 0, -64},
      {"T8-64", 8, 17, 998, 1, 11, 4, 11, 17, {15, 2}, {3, 6}, 0, -64},
      {"T1-40", 1, 1, 680, 5, 8, 0, 19, 36, {14, 1}, {2, 6}, 0, -40},
      {"T2-40", 2, 3, 720, 3, 9, 0, 18, 30, {17, 1}, {2, 6}, 0, -40},
      {"T3-40", 3, 4, 759, 2, 10, 0, 17, 17, {23, 1}, {2, 6}, 0, -40},
      {"T4-40", 4, 5, 839, 2, 10, 0, 15, 17, {23, 1}, {2, 8}, 0, -40},
      {"T5-40", 5, 7, 918, 1, 11, 0, 13, 17, {15, 2}, {2, 8}, 0, -40},
      {"T6-40", 6, 9, 918, 1, 11, 2, 13, 17, {23, 1}, {3, 6}, 0, -40},
      {"T7-40", 7, 12, 918, 1, 11, 3, 13, 17, {15, 2}, {2, 8}, 0, -40},
      {"T8-40", 8, 17, 958, 1, 11, 4, 12, 17, {15, 2}, {2, 9}, 0, -40},
  };
  return sets;
}

}  // namespace

TfheLiteral sums_literal(double log2_failure) {
  TfheLiteral literal = named_tfhe_literal("T4");
  literal.name = "sums";
  literal.norm2 = 1;
  literal.lwe_dimension = literal.log_extension = literal.lwe_noise_bits = 0;
  literal.bootstrap = literal.key_switch = {};
  literal.log2_failure = log2_failure;
  return literal;
}

std::vector<std::string> named_tfhe_literals() {
  std::vector<std::string> names;
  for (const TfheLiteral& set : all_tfhe_sets()) names.push_back(set.name);
  return names;
}

TfheLiteral named_tfhe_literal(std::string_view name) {
  for (const TfheLiteral& set : all_tfhe_sets())
    if (set.name == name) return set;
  base::refuse("there is no TFHE parameter set named '{}'; the sets are {}", name,
               fmt::join(named_tfhe_literals(), ", "));
}

}  // namespace tacit::params
