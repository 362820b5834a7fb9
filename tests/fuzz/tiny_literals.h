#pragma once

#include "params/ckks_parameters.h"
#include "params/tfhe_parameters.h"

/// Parameter sets on small rings, so that an object is a few hundred bytes.
namespace tacit::fuzz {

inline params::CkksLiteral tiny_literal() {
  return {.name = "tiny", .log_n = 4, .q_bits = {40, 30, 30}, .p_bits = {50}, .log_scale = 30, .insecure = true};
}

inline params::CkksLiteral tiny_bootstrapping_literal() {
  params::CkksLiteral literal = params::named_literal("S8");
  literal.name = "tiny S8";
  literal.log_n = 6;
  literal.insecure = true;
  return literal;
}

inline params::TfheLiteral tiny_tfhe_literal() {
  return {.name = "tiny",
          .bits = 1,
          .norm2 = 1,
          .lwe_dimension = 16,
          .glwe_dimension = 1,
          .log_polynomial = 8,
          .log_extension = 0,
          .lwe_noise_bits = 3,
          .glwe_noise_bits = 3,
          .bootstrap = {.base_log = 15, .levels = 1},
          .key_switch = {.base_log = 15, .levels = 1},
          .log_tables = 0,
          .log2_failure = -128,
          .insecure = true};
}

}  // namespace tacit::fuzz
