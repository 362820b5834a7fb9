#include "data_folder.h"

#include <cstdlib>

namespace tacit::conformance {

std::optional<std::filesystem::path> data_folder() {
  const char* folder = std::getenv("TACIT_DATA");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  return std::filesystem::path(folder);
}

}  // namespace tacit::conformance
