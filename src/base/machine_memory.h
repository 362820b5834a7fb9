#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace tacit::base {

/// The main memory that this process may come to use, in bytes. A figure that the system does not give is 0.
struct MachineMemory {
  std::uint64_t total = 0;  ///< memory of the machine, or of the container (control group) that the process runs in
  std::uint64_t free = 0;   ///< memory available at the moment, including cached files that the system would drop
};

/// Reads the memory of the machine from `root`, the folder that holds proc/ and sys/. Without them it uses the C
/// library's figures.
MachineMemory machine_memory(const std::filesystem::path& root = "/");

/// Returns the number after `key` in a file of lines "key number …". An empty `key` gives the number at the beginning
/// of the file. The result is empty without such a line, or without a number.
std::optional<std::uint64_t> keyed_number(const std::filesystem::path& path, std::string_view key);

}  // namespace tacit::base
