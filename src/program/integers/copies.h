#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "program/integers/program.h"

/// Finds the elements of a program that are the same ciphertext.
namespace tacit::integers {

/// The rows of a sum that one task looks at.
inline constexpr std::size_t kRowsOfTask = 256;

/// Returns, by value and element, a number that equal ciphertexts share for all inputs. Equal are sums of the same
/// elements with the same weights and constant, and tables of one content that read the same argument. Key switches and
/// bootstraps draw nothing, so that such ciphertexts have one noise. In a sum of several of them it adds up, unsquared.
/// Constants that no ciphertext holds share a number if they are equal.
std::vector<std::vector<std::uint32_t>> copies(const Program& program);

}  // namespace tacit::integers
