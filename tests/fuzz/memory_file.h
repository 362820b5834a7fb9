#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>

namespace tacit::fuzz {

/// A file that lives in memory, for parsers that take a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes) : file_(::memfd_create("fuzz", 0)) {
    // The mode of a secret key: what others may read is refused before it is parsed.
    if (file_ < 0 || ::fchmod(file_, 0600) != 0 ||
        ::write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      std::abort();
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace tacit::fuzz
