#pragma once

#include <string>
#include <vector>

#include "params/ckks_parameters.h"
#include "program/slots/program.h"

namespace tacit::check {

/// What a program says about one of its values, without keys.
struct DryValue {
  program::ValueId value = 0;
  std::string node, source, instruction;
  int level = 0;
  double scale = 0;
  layout::Index ciphertexts = 0;  ///< its width
  double bound = 0;               ///< calibrated largest |value|; 0 = unknown
  double range_share = 0;         ///< bound in units of what its readers (polynomials, bootstraps) or its modulus carry
  std::string problem{};          ///< empty if levels, scale and range fit
};

/// Follows levels, scales and ranges through a program with levels: every operand high enough, every scale what its
/// instruction makes of its operands' scales, every known bound within its modulus and within [-1, 1] where a
/// polynomial or a bootstrap reads it. Needs no keys and no data; time and memory are linear in the length of the
/// program.
std::vector<DryValue> dry_run(const slots::Program& program, const params::CkksLiteral& literal);

}  // namespace tacit::check
