#include "printed_page.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace tacit::guide {
namespace {

constexpr std::string_view kMark = "<!-- printed: ", kMarkEnd = " -->", kFence = "```", kFenceEnd = "```";

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// The name that a mark states; empty for other lines.
std::string marked(const std::string& line) {
  if (!line.starts_with(kMark) || !line.ends_with(kMarkEnd)) return "";
  return line.substr(kMark.size(), line.size() - kMark.size() - kMarkEnd.size());
}

bool is_fence(const std::string& line) { return line.size() > kFence.size() && line.starts_with(kFence); }
bool is_row(const std::string& line) { return line.starts_with("|"); }

}  // namespace

PrintedPage::PrintedPage(const std::string& name) : path_(std::filesystem::path(TACIT_SOURCE_DIR) / "docs" / name) {}

void PrintedPage::check() const {
  const bool write = std::getenv("TACIT_WRITE_GUIDE") != nullptr;
  const std::vector<std::string> lines = lines_of(path_);
  std::map<std::string, std::string> missing = expected_;
  std::ostringstream written;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    written << lines[i] << '\n';
    const std::string name = marked(lines[i]);
    if (name.empty()) continue;
    const auto expected = expected_.find(name);
    ASSERT_NE(expected, expected_.end()) << path_ << ": nothing printed the block '" << name << "'";
    const bool table = i + 2 < lines.size() && lines[i + 1].empty() && is_row(lines[i + 2]);
    ASSERT_TRUE(table || (i + 1 < lines.size() && is_fence(lines[i + 1])))
        << path_ << ": no block follows the mark of " << name;
    const std::string opening = lines[i + 1];  // a fence with the language, or an empty line
    std::string block;
    for (i += 2; i < lines.size() && (table ? is_row(lines[i]) : lines[i] != kFenceEnd); ++i) block += lines[i] + '\n';
    ASSERT_LT(i, lines.size()) << path_ << ": the block '" << name << "' never ends";
    EXPECT_TRUE(write || block == expected->second)
        << path_ << ": block '" << name << "' is\n"
        << block << "and the program prints\n"
        << expected->second << "run the test with TACIT_WRITE_GUIDE=1 to write the page";
    written << opening << '\n' << expected->second << (table ? lines[i] : std::string(kFenceEnd)) << '\n';
    missing.erase(name);
  }
  for (const auto& [name, text] : missing) ADD_FAILURE() << path_ << " lacks the block '" << name << "':\n" << text;
  if (write) std::ofstream(path_) << written.str();
}

}  // namespace tacit::guide
