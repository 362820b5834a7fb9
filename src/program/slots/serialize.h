#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/slots/program.h"

/// Converts programs (with levels and scales) to bytes and back. The bytes are little-endian, self-delimiting and
/// versioned; equal values give equal bytes. Reading takes untrusted bytes. Every count is checked against the
/// remaining bytes before anything is allocated. Every operand, layout, operator and schedule is validated, and
/// `verify` runs last. Throws InputError naming the byte.
namespace tacit::slots {

std::vector<std::uint8_t> to_bytes(const Program& program);
Program program_from_bytes(std::span<const std::uint8_t> bytes);

}  // namespace tacit::slots
