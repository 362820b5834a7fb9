#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tacit::app::service {

/// What sentences for clients call the server's files and folders, whose paths are none of theirs.
class PathNames {
 public:
  /// `path`, and every path below it, is called `name`. Of several that hold a path the longest counts.
  void add(const std::filesystem::path& path, std::string name);
  std::string named(const std::string& sentence) const;

 private:
  std::vector<std::pair<std::string, std::string>> names_;  // by path, the longest first
};

}  // namespace tacit::app::service
