#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tacit::app::service {

/// The state of a file. It changes whenever somebody replaces the file, writes to it, or changes its permissions. Times
/// are nanoseconds since 1970.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  mode_t mode = 0;
  uid_t owner = 0;
  std::int64_t written = 0, changed = 0;

  bool operator==(const FileIdentity&) const = default;
};

/// Returns the state; none if there is no such file.
std::optional<FileIdentity> identity_of(const std::filesystem::path& file);
std::optional<FileIdentity> identity_of(int descriptor);

/// True if the file changed so recently that its next change may carry the same times. File systems count time in
/// steps.
bool is_fresh(const FileIdentity& file);

}  // namespace tacit::app::service
