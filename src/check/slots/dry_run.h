#pragma once

#include <string>
#include <vector>

#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::check {

/// The facts of a program about one of its values, without keys.
struct DryValue {
  program::ValueId value = 0;
  std::string node, source, instruction;
  int level = 0;
  double scale = 0;
  layout::Index ciphertexts = 0;  ///< width of the value
  double bound = 0;               ///< calibrated largest |value|; 0 = unknown
  double range_share = 0;         ///< bound in units of the capacity of its readers or of its modulus
  std::string problem{};          ///< empty if levels, scale and range fit
};

/// Follows levels, scales and ranges through a program with levels, and checks
/// - that every operand is at a sufficient level;
/// - that every scale is the one that its instruction makes from its operands' scales;
/// - that every known bound is within its modulus;
/// - that every known bound is within [-1, 1] if a polynomial or a bootstrap reads the value.
/// Needs no keys and no data. Time and memory are linear in the length of the program.
std::vector<DryValue> dry_run(const slots::Program& program, const params::CkksLiteral& literal);

}  // namespace tacit::check
