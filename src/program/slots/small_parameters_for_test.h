#pragma once

#include "params/ckks_parameters.h"

/// The parameters of small programs.
namespace tacit::slots {

inline constexpr double kScale = 0x1p40;

/// Returns an insecure literal of four levels on a ring with 512 slots.
inline const params::CkksLiteral& small_literal() {
  static const params::CkksLiteral made{
      .name = "test", .log_n = 10, .q_bits = {50, 40, 40, 40}, .p_bits = {50}, .log_scale = 40, .insecure = true};
  return made;
}

inline const params::CkksParameters& small_parameters() {
  static const auto made = params::CkksParameters::check(small_literal());
  return made;
}

}  // namespace tacit::slots
