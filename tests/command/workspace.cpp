#include "tests/command/workspace.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "session/owner/npy.h"

namespace tacit::test {

std::string Workspace::array(const std::string& name, const std::vector<std::int64_t>& shape,
                             const std::vector<double>& values) const {
  session::write_npy(folder_.path() / name, shape, std::span<const double>(values));
  return (*this)(name);
}

std::string Workspace::bytes(const std::string& name, const std::string& content) const {
  std::ofstream(folder_.path() / name, std::ios::binary) << content;
  return (*this)(name);
}

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<std::filesystem::path> external_data() {
  const char* folder = std::getenv("TACIT_DATA");
  if (!folder || !*folder) return std::nullopt;
  return std::filesystem::path(folder);
}

}  // namespace tacit::test
