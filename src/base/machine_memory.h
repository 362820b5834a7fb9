#pragma once

#include <cstdint>
#include <filesystem>

namespace tacit::base {

/// The main memory that this process may come to use, in bytes. What the system does not tell is 0.
struct MachineMemory {
  std::uint64_t total = 0;  ///< of the machine, or of the container (control group) that the process runs in
  std::uint64_t free = 0;   ///< to be had now, with what the system keeps of files and would drop
};

/// `root`: where proc/ and sys/ lie. Without them the C library's figures of the machine.
MachineMemory machine_memory(const std::filesystem::path& root = "/");

}  // namespace tacit::base
