#include "base/file_descriptor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace tacit::base {

FileDescriptor::FileDescriptor(const std::filesystem::path& path, int flags, unsigned mode)
    : number_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}

bool FileDescriptor::close() { return !is_open() || ::close(std::exchange(number_, -1)) == 0; }

bool FileDescriptor::is_regular() const {
  struct stat status {};
  return ::fstat(number_, &status) == 0 && S_ISREG(status.st_mode);
}

std::uint64_t FileDescriptor::size() const {
  struct stat status {};
  return ::fstat(number_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::size_t FileDescriptor::read(std::uint64_t offset, std::span<std::byte> out) const {
  std::size_t filled = 0;
  while (filled < out.size()) {
    errno = 0;
    const ssize_t count =
        ::pread(number_, out.data() + filled, out.size() - filled, static_cast<off_t>(offset + filled));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

void FileDescriptor::read_all(const std::filesystem::path& name, std::uint64_t offset, std::span<std::byte> out) const {
  if (read(offset, out) == out.size()) return;
  throw InputError(name.string() + (errno != 0 ? std::string(": cannot read: ") + std::strerror(errno)
                                               : ": the file ended while it was read; did something truncate it?"));
}

bool FileDescriptor::write(std::uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(number_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

bool FileDescriptor::lock(int mode) const {
  int locked = 0;
  while ((locked = ::flock(number_, mode)) != 0 && errno == EINTR) continue;
  return locked == 0;
}

}  // namespace tacit::base
