#include "session/bounded_file.h"

#include <fstream>

#include "base/error.h"

namespace tacit::session {

std::string read_bounded(const std::filesystem::path& path, std::uintmax_t most) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    base::refuse("{}: there is no such file, or it is no regular one", path.string());
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) base::refuse("{}: cannot read", path.string());
  if (size > most)
    base::refuse("{}: {} bytes are more than the {} bytes that this may have", path.string(), size, most);
  std::string bytes(size, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!file) base::refuse("{}: the file ended while it was read", path.string());
  return bytes;
}

}  // namespace tacit::session
