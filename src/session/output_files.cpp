#include "session/output_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"

namespace tacit::session {
namespace {

/// What a path names, also where nothing is there yet: links are followed, the one at the end too.
std::filesystem::path named(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as the operating system
  std::error_code error;
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(path, error); ++links) {
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  // Relative paths that do not exist stay relative otherwise, and `k` would differ from `./k`.
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) || named(a) == named(b);
}

}  // namespace

void check_output_files(const std::vector<std::filesystem::path>& outputs,
                        const std::vector<std::filesystem::path>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::error_code error;
    const std::filesystem::path folder = outputs[i].parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder, error))
      base::refuse("{} cannot be written: there is no folder {}", outputs[i].string(), folder.string());
    const std::filesystem::file_status status = std::filesystem::status(outputs[i], error);
    if (!outputs[i].empty() && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
      base::refuse("{} is a folder, a device or a pipe; name a file for the output", outputs[i].string());
    for (const std::filesystem::path& input : inputs)
      if (same_file(outputs[i], input))
        base::refuse("{} is read by this command and would be overwritten; choose another name for the output",
                     outputs[i].string());
    for (std::size_t j = 0; j < i; ++j)
      if (same_file(outputs[i], outputs[j]))
        base::refuse("{} is named for two different outputs; give each its own file", outputs[i].string());
  }
}

void create_private_file(const std::filesystem::path& path) {
  constexpr mode_t kOwner = S_IRUSR | S_IWUSR;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, kOwner);
  struct stat state {};
  bool made = file >= 0 && ::fstat(file, &state) == 0;
  if (made && S_ISREG(state.st_mode)) made = ::fchmod(file, kOwner) == 0 && ::ftruncate(file, 0) == 0;
  const int error = errno;
  if (file >= 0) ::close(file);
  if (!made) base::refuse("{} cannot be written: {}", path.string(), std::strerror(error));
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (!file) base::refuse("{} cannot be written", path.string());
}

WrittenFiles::~WrittenFiles() {
  std::error_code ignored;
  for (const std::filesystem::path& file : files_)
    if (!file.empty()) std::filesystem::remove(file, ignored);
}

}  // namespace tacit::session
