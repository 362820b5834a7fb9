#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

namespace tacit::test {

/// How a process ended.
struct CommandResult {
  int status = -1;  ///< exit status
  int signal = 0;   ///< that killed it, or 0
  std::string out, err;
  /// The last non-empty line of standard error.
  std::string last_error_line() const;
};

/// Runs the built `tacit` with these arguments and waits for it, in `folder` where one is given. Killed after five
/// minutes. What it keeps for its user it keeps in `cache`, or else in a folder of the build.
CommandResult run_command(const std::vector<std::string>& arguments, const std::filesystem::path& folder = {},
                          const std::filesystem::path& cache = {});

/// The same, and expects exit status 0.
CommandResult succeed(const std::vector<std::string>& arguments);

/// run_command() for another program, a path. Its command may name the built `tacit` by tacit_command().
CommandResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder = {}, const std::filesystem::path& cache = {});
std::string tacit_command();

}  // namespace tacit::test
