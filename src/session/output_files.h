#pragma once

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit::session {

/// Checks the files of a command before any work, so that no key or input is overwritten. Throws InputError
/// - if an output would be written over an input, or two outputs into one file;
/// - if the folder of an output does not exist;
/// - if an output is a folder, a device or a pipe.
/// Links and different spellings of a path are resolved. Empty paths are options that were not given.
void check_output_files(const std::vector<std::filesystem::path>& outputs,
                        const std::vector<std::filesystem::path>& inputs);

/// Prepares a file for private values. It makes an empty file that only its owner may read and write (mode 0600). An
/// existing file is emptied and gets that mode. Anything but a regular file stays as it is. Throws InputError if the
/// file cannot be written.
void create_private_file(const std::filesystem::path& path);

/// Writes a file. Throws InputError if it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Files that are useful only together. The destructor removes the written ones unless all are kept.
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
