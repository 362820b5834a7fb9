#include "app/service/file_identity.h"

#include <algorithm>
#include <chrono>

namespace tacit::app::service {
namespace {

constexpr std::chrono::seconds kStep{1};

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

FileIdentity identity_in(const struct stat& state) {
  return {.device = state.st_dev,
          .inode = state.st_ino,
          .size = state.st_size,
          .mode = state.st_mode,
          .owner = state.st_uid,
          .written = nanoseconds(state.st_mtim),
          .changed = nanoseconds(state.st_ctim)};
}

}  // namespace

std::optional<FileIdentity> identity_of(const std::filesystem::path& file) {
  struct stat state {};
  if (::stat(file.c_str(), &state) != 0) return {};
  return identity_in(state);
}

std::optional<FileIdentity> identity_of(int descriptor) {
  struct stat state {};
  if (::fstat(descriptor, &state) != 0) return {};
  return identity_in(state);
}

bool is_fresh(const FileIdentity& file) {
  const auto now = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch());
  return now.count() - file.changed < std::chrono::nanoseconds(kStep).count();
}

}  // namespace tacit::app::service
