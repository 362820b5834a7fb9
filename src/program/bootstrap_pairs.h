#pragma once

#include <map>

#include "program/program.h"

namespace tacit::program {

/// Bootstraps of different values that pass together: two ciphertexts with real slots go through the transforms of one,
/// and a value with an odd number of ciphertexts has one left over. From a bootstrap to a later one of the same
/// schedule whose operand exists before the first of them runs, both with one ciphertext to spare; each occurs once. In
/// the classic form there are no pairs.
std::map<ValueId, ValueId> bootstrap_pairs(const Program& program);

}  // namespace tacit::program
