#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace tacit::app::service {

/// Waits until the content of a file or a folder survives a loss of power. Throws InputError naming it.
void make_durable(const std::filesystem::path& path);
/// Replaces a file by one with the content `text`, completely or not at all, durably. Only its owner may read and write
/// the new file.
void write_durably(const std::filesystem::path& path, std::string_view text);

/// Replaces a file as write_durably does, by a content that arrives in pieces. Without `finish` the old file stays.
class DurableWriter {
 public:
  /// Both throw InputError naming the file.
  explicit DurableWriter(std::filesystem::path path);
  void add(std::string_view piece);
  /// Writes what is left and puts the new file in place of the old one. The last call.
  void finish();

 private:
  void write_out();
  std::filesystem::path path_, whole_;
  base::FileDescriptor file_;
  std::string piece_;
  std::uint64_t written_ = 0;
};

/// An open file on which this process holds a lock of the operating system (flock). The lock ends with the process,
/// even after a crash. Movable.
class FileLock {
 public:
  FileLock() = default;
  /// Tries to lock the file, which it makes if it is missing. The result is not held if another process or thread holds
  /// the lock. Throws InputError for a file that cannot be made.
  static FileLock try_lock(const std::filesystem::path& path);
  /// Waits for the lock.
  static FileLock lock(const std::filesystem::path& path);
  /// Waits for the lock, and holds it together with others that share it.
  static FileLock share(const std::filesystem::path& path);
  bool held() const { return file_.is_open(); }

 private:
  FileLock(const std::filesystem::path& path, int mode);
  base::FileDescriptor file_;
};

}  // namespace tacit::app::service
