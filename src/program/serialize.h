#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/client_interface.h"
#include "program/program.h"

/// Programs (with levels and scales) and client interfaces as bytes: little-endian, self-delimiting, versioned; equal
/// values give equal bytes. Reading takes untrusted bytes: every count is checked against the bytes that are left
/// before anything is allocated, every operand, layout, operator, schedule and client step is validated, and `verify`
/// runs last. Throws InputError naming the byte.
namespace tacit::program {

std::vector<std::uint8_t> to_bytes(const Program& program);
Program program_from_bytes(std::span<const std::uint8_t> bytes);

std::vector<std::uint8_t> to_bytes(const ClientInterface& interface);
ClientInterface client_interface_from_bytes(std::span<const std::uint8_t> bytes);

}  // namespace tacit::program
