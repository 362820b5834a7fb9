#pragma once

#include <cstdint>
#include <vector>

#include "program/integers/program.h"

/// Which elements of a program are the same ciphertext.
namespace tacit::integers {

/// By value and element a number that equal ciphertexts share, whatever the inputs: sums of the same elements with the
/// same weights and constant, and tables of one content that read the same argument. Key switches and bootstraps draw
/// nothing, so that such ciphertexts have one noise: where a sum reads several of them it adds up, unsquared.
/// Constants that are held by no ciphertext are one where they are equal.
std::vector<std::vector<std::uint32_t>> copies(const Program& program);

}  // namespace tacit::integers
