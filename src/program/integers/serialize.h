#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/integers/program.h"

/// Programs on integers as bytes: little-endian, versioned; equal programs give equal bytes.
namespace tacit::integers {

/// Throws InternalError for a program with validations, which travel in no file.
std::vector<std::uint8_t> to_bytes(const Program& program);
/// Takes untrusted bytes: throws InputError naming the byte, or what of a program does not fit, before anything is
/// allocated that the bytes do not pay for.
Program program_from_bytes(std::span<const std::uint8_t> bytes);

/// Why a program is larger than program_from_bytes takes; none where it is not.
std::optional<std::string> size_excess(const Program& program);

}  // namespace tacit::integers
