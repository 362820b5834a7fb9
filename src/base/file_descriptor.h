#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

namespace tacit::base {

/// A file that the operating system opened for this process, or none. Closed at the end. Movable.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// `flags` of open(), to which O_CLOEXEC is added; `mode` of a file that is made. Not open where that fails: errno
  /// says why.
  FileDescriptor(const std::filesystem::path& path, int flags, unsigned mode = 0600);
  ~FileDescriptor() { close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  /// False: what was written may be lost, and errno says why.
  bool close();

  /// Not a folder, a device or a pipe.
  bool is_regular() const;
  /// In bytes; 0 where it is unknown.
  std::uint64_t size() const;
  /// Reads from `offset` on, and returns how many bytes. Where they are fewer, errno says why; it is 0 at the end of
  /// the file.
  std::size_t read(std::uint64_t offset, std::span<std::byte> out) const;
  /// Reads all of them. Throws InputError, with the name of the file in front, where it cannot.
  void read_all(const std::filesystem::path& name, std::uint64_t offset, std::span<std::byte> out) const;
  /// Writes from `offset` on. A file opened with O_APPEND grows at its end whatever the offset: Linux's pwrite() does
  /// so. False: not all of them, and errno says why.
  bool write(std::uint64_t offset, std::span<const std::byte> bytes) const;
  /// flock(), however often a signal interrupts it.
  bool lock(int mode) const;

 private:
  int number_ = -1;
};

}  // namespace tacit::base
