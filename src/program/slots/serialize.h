#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/slots/program.h"

/// Programs (with levels and scales) as bytes: little-endian, self-delimiting, versioned; equal
/// values give equal bytes. Reading takes untrusted bytes: every count is checked against the bytes that are left
/// before anything is allocated, every operand, layout, operator, and schedule is validated, and `verify`
/// runs last. Throws InputError naming the byte.
namespace tacit::slots {

std::vector<std::uint8_t> to_bytes(const Program& program);
Program program_from_bytes(std::span<const std::uint8_t> bytes);

}  // namespace tacit::slots
