#include "base/private_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

namespace tacit::base {

void require_private(const std::filesystem::path& file, std::string_view what) {
  struct stat state {};
  constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
  if (::stat(file.c_str(), &state) != 0 || state.st_uid != ::geteuid() || (state.st_mode & kOthers) == 0) return;
  base::refuse(
      "{0}: others may read or change this {1} (mode {2:04o}), so that it may be known or another one; if "
      "you trust it still, run: chmod 600 {0}",
      file.string(), what, state.st_mode & 07777);
}

}  // namespace tacit::base
