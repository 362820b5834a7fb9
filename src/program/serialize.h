#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/client_interface.h"
#include "program/program.h"

/// Programs and client interfaces as bytes: little-endian, self-delimiting, versioned by the artefact that holds them.
/// Reading takes untrusted bytes: every count is checked against the bytes that are left before anything is allocated,
/// every operand, layout, operator and schedule is validated, and `verify` runs last. Throws InputError.
namespace tacit::program {

std::vector<std::uint8_t> to_bytes(const Program& program);
Program program_from_bytes(std::span<const std::uint8_t> bytes);

std::vector<std::uint8_t> to_bytes(const ClientInterface& interface);
ClientInterface client_interface_from_bytes(std::span<const std::uint8_t> bytes);

}  // namespace tacit::program
