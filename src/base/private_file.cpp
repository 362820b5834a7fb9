#include "base/private_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace tacit::base {

namespace {

constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
constexpr mode_t kOthersOfRoot = S_IWGRP | S_IRWXO;
constexpr mode_t kWritten = S_IWGRP | S_IWOTH;

void require_private(const struct stat& state, const std::filesystem::path& file, std::string_view what) {
  if (state.st_uid != ::geteuid() && state.st_uid != 0)
    base::refuse(
        "{0}: this {1} belongs to another user (number {2}), who may read and change it; use a copy of your own, or "
        "run: chown {3} {0}",
        file.string(), what, state.st_uid, ::geteuid());
  const bool own = state.st_uid == ::geteuid();
  if ((state.st_mode & (own ? kOthers : kOthersOfRoot)) == 0) return;
  base::refuse(
      "{0}: others may read or change this {1} (mode {2:04o}), so that it may be known or another one; if "
      "you trust it still, run{3}: chmod {4} {0}",
      file.string(), what, state.st_mode & 07777, own ? "" : " as root", own ? "600" : "640");
}

}  // namespace

void require_private(const std::filesystem::path& file, std::string_view what) {
  struct stat state {};
  if (::stat(file.c_str(), &state) == 0) require_private(state, file, what);
}

void require_private(int descriptor, const std::filesystem::path& file, std::string_view what) {
  struct stat state {};
  if (::fstat(descriptor, &state) != 0) base::refuse("{}: {}", file.string(), std::strerror(errno));
  require_private(state, file, what);
}

void make_private_folder(const std::filesystem::path& folder, std::string_view what) {
  std::error_code exists;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), exists);
  if (::mkdir(folder.c_str(), S_IRWXU) == 0) return;
  struct stat state {};
  if (::stat(folder.c_str(), &state) != 0) base::refuse("{}: {}", folder.string(), std::strerror(errno));
  if (!S_ISDIR(state.st_mode)) base::refuse("{}: this is no folder; name another {}", folder.string(), what);
  if (state.st_uid != ::geteuid())
    base::refuse("{0}: this {1} belongs to another user (number {2}); name one of your own, or run: chown {3} {0}",
                 folder.string(), what, state.st_uid, ::geteuid());
  if ((state.st_mode & kWritten) != 0)
    base::refuse(
        "{0}: others may write to this {1} (mode {2:04o}) and replace what it holds; if you trust it still, run: "
        "chmod go-w {0}",
        folder.string(), what, state.st_mode & 07777);
}

}  // namespace tacit::base
