#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace tacit::guide {

/// The blocks and tables of a page of docs/ that a program printed. Each follows a line `<!-- printed: NAME -->`, a
/// table after an empty line.
class PrintedPage {
 public:
  explicit PrintedPage(const std::string& name);  ///< of the file in docs/

  /// What a block must be.
  void expect(const std::string& block, const std::string& text) { expected_[block] = text; }
  /// Compares all blocks with what they must be, or writes them where the environment variable TACIT_WRITE_GUIDE is
  /// set. A test failure for every block that differs, that the page lacks, or that nothing printed.
  void check() const;

 private:
  std::filesystem::path path_;
  std::map<std::string, std::string> expected_;
};

}  // namespace tacit::guide
