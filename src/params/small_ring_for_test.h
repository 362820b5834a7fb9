#pragma once

#include <string>

#include "params/ckks_parameters.h"

namespace tacit::params {

/// The chain of a named bootstrapping set, which is secure at N = 2^16 alone, on a ring of the size of a test.
inline CkksLiteral insecure_on_small_ring(const std::string& set, int log_n) {
  CkksLiteral literal = named_literal(set);
  literal.name = set + " on a small ring";
  literal.log_n = log_n;
  literal.insecure = true;
  return literal;
}

}  // namespace tacit::params
