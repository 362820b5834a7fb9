#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

namespace tacit::base {

/// Holds a file that the operating system opened for this process, or none. The destructor closes it. It is movable.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// Opens `path` with the `flags` of open() and O_CLOEXEC. A file that is made gets `mode`. If this fails, the object
  /// is not open, and errno says why.
  FileDescriptor(const std::filesystem::path& path, int flags, unsigned mode = 0600);
  ~FileDescriptor() { close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  /// Returns false if written data may be lost; errno says why.
  bool close();

  /// Returns true for a regular file: not a folder, a device or a pipe.
  bool is_regular() const;
  /// Returns the size in bytes, or 0 if it is unknown.
  std::uint64_t size() const;
  /// Reads from `offset` on and returns the number of bytes. If it is smaller than `out`, errno gives the cause: 0
  /// means the end of the file.
  std::size_t read(std::uint64_t offset, std::span<std::byte> out) const;
  /// Fills `out`. Throws InputError, beginning with the name of the file, if it cannot.
  void read_all(const std::filesystem::path& name, std::uint64_t offset, std::span<std::byte> out) const;
  /// Writes from `offset` on. A file opened with O_APPEND grows at its end at any offset, as Linux's pwrite() does.
  /// Returns false if not all bytes were written; errno says why.
  bool write(std::uint64_t offset, std::span<const std::byte> bytes) const;
  /// Calls flock() again whenever a signal interrupts it.
  bool lock(int mode) const;

 private:
  int number_ = -1;
};

}  // namespace tacit::base
