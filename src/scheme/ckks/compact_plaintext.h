#pragma once

#include "params/ckks_parameters.h"
#include "scheme/ckks/integer_polynomial.h"

namespace tacit::scheme::ckks {

/// An encoded message as integer coefficients: one word each, where a Plaintext has one for every prime of its level.
/// `Encoder::expand` makes the Plaintext, by one transform a prime. Constants of a program wait like this. Movable,
/// thread safe.
struct CompactPlaintext {
  IntegerPolynomial integers;
  int level = 0;
  double scale = 0;
  params::ParameterHash parameters{};
};

}  // namespace tacit::scheme::ckks
