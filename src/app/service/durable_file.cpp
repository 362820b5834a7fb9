#include "app/service/durable_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>

#include "base/error.h"

namespace tacit::app::service {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw base::InputError(path.string() + ": cannot write: " + std::strerror(errno));
}

}  // namespace

void make_durable(const std::filesystem::path& path) {
  const base::FileDescriptor file(path, O_RDONLY);
  // EINVAL: this file system knows no such thing of a folder, and has nothing to wait for.
  if (!file.is_open() || (::fsync(file.number()) != 0 && errno != EINVAL)) fail(path);
}

void write_durably(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::path whole = path;
  whole += ".new";
  const base::FileDescriptor file(whole, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file.is_open()) fail(whole);
  if (!file.write(0, std::as_bytes(std::span(text))) || ::fsync(file.number()) != 0 ||
      ::rename(whole.c_str(), path.c_str()) != 0)
    fail(path);
  make_durable(std::filesystem::absolute(path).parent_path());
}

FileLock::FileLock(const std::filesystem::path& path, int mode) : file_(path, O_RDWR | O_CREAT) {
  if (!file_.is_open()) fail(path);
  if (!file_.lock(mode)) file_.close();
}

FileLock FileLock::try_lock(const std::filesystem::path& path) { return {path, LOCK_EX | LOCK_NB}; }
FileLock FileLock::lock(const std::filesystem::path& path) { return {path, LOCK_EX}; }
FileLock FileLock::share(const std::filesystem::path& path) { return {path, LOCK_SH}; }

}  // namespace tacit::app::service
