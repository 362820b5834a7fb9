#pragma once

#include "params/ckks_parameters.h"
#include "scheme/ckks/integer_polynomial.h"

namespace tacit::scheme::ckks {

/// An encoded message as integer coefficients of one word each. A Plaintext instead has one word for every prime of its
/// level. `Encoder::expand` makes the Plaintext with one transform per prime. Constants of a program wait in this form.
/// Movable, thread safe.
struct CompactPlaintext {
  IntegerPolynomial integers;
  int level = 0;
  double scale = 0;
  params::ParameterHash parameters{};
};

}  // namespace tacit::scheme::ckks
