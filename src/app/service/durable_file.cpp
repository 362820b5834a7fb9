#include "app/service/durable_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

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

DurableWriter::DurableWriter(std::filesystem::path path)
    : path_(std::move(path)), whole_(path_.string() + ".new"), file_(whole_, O_WRONLY | O_CREAT | O_TRUNC) {
  if (!file_.is_open()) fail(whole_);
}

void DurableWriter::add(std::string_view piece) {
  constexpr std::size_t kHeld = 64 << 10;
  piece_ += piece;
  if (piece_.size() >= kHeld) write_out();
}

void DurableWriter::write_out() {
  if (!file_.write(written_, std::as_bytes(std::span(piece_)))) fail(path_);
  written_ += piece_.size();
  piece_.clear();
}

void DurableWriter::finish() {
  write_out();
  if (::fsync(file_.number()) != 0 || ::rename(whole_.c_str(), path_.c_str()) != 0) fail(path_);
  make_durable(std::filesystem::absolute(path_).parent_path());
}

void write_durably(const std::filesystem::path& path, std::string_view text) {
  DurableWriter writer(path);
  writer.add(text);
  writer.finish();
}

FileLock::FileLock(const std::filesystem::path& path, int mode) : file_(path, O_RDWR | O_CREAT) {
  if (!file_.is_open()) fail(path);
  if (!file_.lock(mode)) file_.close();
}

FileLock FileLock::try_lock(const std::filesystem::path& path) { return {path, LOCK_EX | LOCK_NB}; }
FileLock FileLock::lock(const std::filesystem::path& path) { return {path, LOCK_EX}; }
FileLock FileLock::share(const std::filesystem::path& path) { return {path, LOCK_SH}; }

}  // namespace tacit::app::service
