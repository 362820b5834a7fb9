#pragma once

#include "params/ckks_parameters.h"

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

}  // namespace tacit::fuzz
