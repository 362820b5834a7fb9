#pragma once

#include <filesystem>
#include <string_view>

#include "base/file_descriptor.h"

namespace tacit::app::service {

/// Makes sure that what a file or a folder holds survives a loss of power. Throws InputError naming it.
void make_durable(const std::filesystem::path& path);
/// Replaces a file by one of `text` that only its owner may read and write, whole or not at all, durably.
void write_durably(const std::filesystem::path& path, std::string_view text);

/// An open file on which this process holds a lock of the operating system (flock): it goes when the process ends, in
/// whatever way. Movable.
class FileLock {
 public:
  FileLock() = default;
  /// Makes the file where it is not there. Not held where another process or thread holds it. Throws InputError for a
  /// file that cannot be made.
  static FileLock try_lock(const std::filesystem::path& path);
  /// Waits for it.
  static FileLock lock(const std::filesystem::path& path);
  /// Waits for it, and holds it together with others who share it.
  static FileLock share(const std::filesystem::path& path);
  bool held() const { return file_.is_open(); }

 private:
  FileLock(const std::filesystem::path& path, int mode);
  base::FileDescriptor file_;
};

}  // namespace tacit::app::service
