#pragma once

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit::session {

/// Before any work: throws InputError if a command would write one of its files over one that it reads, or two into one
/// (a key or an input would be lost), where there is no folder, or over something that is no file. Links and different
/// spellings of a path are seen through; empty paths stand for options not given.
void check_output_files(const std::vector<std::filesystem::path>& outputs,
                        const std::vector<std::filesystem::path>& inputs);

/// Before a file of private values is written: makes an empty one that only its owner may read and write (mode 0600),
/// or empties the one that is there and gives it that mode. What is no regular file stays as it is. Throws InputError
/// where it cannot be written.
void create_private_file(const std::filesystem::path& path);

/// Throws InputError where it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Files that are of use only together: removes those that were written unless all are kept.
class WrittenFiles {
 public:
  WrittenFiles() = default;
  ~WrittenFiles();
  WrittenFiles(const WrittenFiles&) = delete;
  WrittenFiles& operator=(const WrittenFiles&) = delete;
  void add(std::filesystem::path file) { files_.push_back(std::move(file)); }
  void keep() { files_.clear(); }

 private:
  std::vector<std::filesystem::path> files_;
};

}  // namespace tacit::session
