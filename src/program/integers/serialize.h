#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/integers/program.h"

/// Converts programs on integers to bytes and back. The bytes are little-endian and versioned; equal programs give
/// equal bytes.
namespace tacit::integers {

/// Throws InternalError for a program with validations, which no file holds.
std::vector<std::uint8_t> to_bytes(const Program& program);
/// Takes untrusted bytes, and allocates nothing that the bytes do not justify. Throws InputError naming the byte, or
/// the part of the program that does not fit.
Program program_from_bytes(std::span<const std::uint8_t> bytes);

/// Returns the reason that a program is larger than program_from_bytes takes; none if it is not.
std::optional<std::string> size_excess(const Program& program);

}  // namespace tacit::integers
