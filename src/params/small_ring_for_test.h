#pragma once

#include <string>

#include "params/ckks_parameters.h"

namespace tacit::params {

/// Returns an insecure literal of a test's size.
inline CkksLiteral small_literal() {
  return {.name = "test", .log_n = 10, .q_bits = {40, 30, 30}, .p_bits = {45}, .log_scale = 30, .insecure = true};
}

/// The chain of a named bootstrapping set, which is secure at N = 2^16 alone, on a ring of the size of a test.
inline CkksLiteral insecure_on_small_ring(const std::string& set, int log_n) {
  CkksLiteral literal = named_literal(set);
  literal.name = set + " on a small ring";
  literal.log_n = log_n;
  literal.insecure = true;
  return literal;
}

}  // namespace tacit::params
