#include "tests/command/workspace.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "app/npy.h"

namespace tacit::test {

Workspace::Workspace() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tacit_workspace_XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}

Workspace::~Workspace() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Workspace::array(const std::string& name, const std::vector<std::int64_t>& shape,
                             const std::vector<double>& values) const {
  app::write_npy(folder_ / name, shape, std::span<const double>(values));
  return (*this)(name);
}

std::string Workspace::bytes(const std::string& name, const std::string& content) const {
  std::ofstream(folder_ / name, std::ios::binary) << content;
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
