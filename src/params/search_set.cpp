#include "params/search_set.h"

#include <cmath>

#include "params/noise.h"

namespace tacit::params {

CkksLiteral search_literal() {
  return {.name = "N12-search", .log_n = 12, .q_bits = {50}, .p_bits = {50}, .log_scale = 46};
}

double expanded_coefficient_noise(const CkksParameters& parameters, double leaves) {
  const double slot = slot_deviation(parameters, 1, 1);
  const double fresh = symmetric_encryption_noise(parameters, 1) / slot;
  const double key_switch = key_switch_noise(parameters, 0, 1) / slot;
  return std::sqrt(leaves * fresh * fresh + (leaves - 1) * key_switch * key_switch);
}

}  // namespace tacit::params
