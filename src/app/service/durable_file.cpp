#include "app/service/durable_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.h"

namespace tacit::app::service {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw base::InputError(path.string() + ": cannot write: " + std::strerror(errno));
}

}  // namespace

void make_durable(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(path);
  const bool done = ::fsync(file) == 0;
  const int error = errno;
  ::close(file);
  errno = error;
  if (!done) fail(path);
}

void write_durably(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path whole = path;
  whole += ".new";
  const int file = ::open(whole.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) fail(whole);
  const bool written =
      ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
  const int error = errno;
  ::close(file);
  errno = error;
  if (!written || ::rename(whole.c_str(), path.c_str()) != 0) fail(path);
  make_durable(path.parent_path());
}

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}
FileLock::FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

FileLock FileLock::take(const std::filesystem::path& path, int mode) {
  FileLock lock;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) fail(path);
  int locked = 0;
  while ((locked = ::flock(file, mode)) != 0 && errno == EINTR) continue;
  if (locked == 0)
    lock.file_ = file;
  else
    ::close(file);
  return lock;
}

FileLock FileLock::try_lock(const std::filesystem::path& path) { return take(path, LOCK_EX | LOCK_NB); }
FileLock FileLock::lock(const std::filesystem::path& path) { return take(path, LOCK_EX); }

}  // namespace tacit::app::service
