#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace tacit::base {

/// The main memory that this process may come to use, in bytes. What the system does not tell is 0.
struct MachineMemory {
  std::uint64_t total = 0;  ///< of the machine, or of the container (control group) that the process runs in
  std::uint64_t free = 0;   ///< to be had now, with what the system keeps of files and would drop
};

/// `root`: where proc/ and sys/ lie. Without them the C library's figures of the machine.
MachineMemory machine_memory(const std::filesystem::path& root = "/");

/// The number behind `key` in a file of lines "key number …", as the system tells figures; with an empty key the number
/// that the file begins with. None where there is no such line, or no number.
std::optional<std::uint64_t> keyed_number(const std::filesystem::path& path, std::string_view key);

}  // namespace tacit::base
