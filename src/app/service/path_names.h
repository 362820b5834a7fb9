#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace tacit::app::service {

/// Names of the server's files and folders in sentences for clients, which must not show the paths.
class PathNames {
 public:
  PathNames() = default;
  /// Gives a name to each path, as `add` does.
  PathNames(std::initializer_list<std::pair<std::filesystem::path, std::string>> names);
  /// Gives `name` to `path` and to every path below it. If several names fit a path, that of the longest one is used.
  void add(const std::filesystem::path& path, std::string name);
  std::string named(const std::string& sentence) const;

 private:
  std::vector<std::pair<std::string, std::string>> names_;  // by path, the longest first
};

}  // namespace tacit::app::service
