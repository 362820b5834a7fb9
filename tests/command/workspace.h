#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/temporary_folder_for_test.h"

namespace tacit::test {

/// A folder of its own for one test, removed at its end.
class Workspace {
 public:
  /// The path of a file in it, as an argument.
  std::string operator()(const std::string& name) const { return (folder_.path() / name).string(); }
  /// Writes a .npy file of float64 and returns its path.
  std::string array(const std::string& name, const std::vector<std::int64_t>& shape,
                    const std::vector<double>& values) const;
  /// Writes any bytes and returns the path.
  std::string bytes(const std::string& name, const std::string& content) const;

 private:
  base::TemporaryFolder folder_;
};

std::string read_bytes(const std::filesystem::path& path);
/// The folder of external test data, if $TACIT_DATA names one.
std::optional<std::filesystem::path> external_data();

}  // namespace tacit::test
