#include "tests/command/run_command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tacit::test {
namespace {

constexpr unsigned kSecondsToLive = 300;

std::string take(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  return text;
}

std::string temporary_file() {
  std::string path = (std::filesystem::temp_directory_path() / "tacit_command_XXXXXX").string();
  const int handle = mkstemp(path.data());
  if (handle < 0) throw std::runtime_error("no temporary file");
  close(handle);
  return path;
}

void redirect(const std::string& path, int to) {
  const int handle = open(path.c_str(), O_WRONLY | O_TRUNC);
  dup2(handle, to);
  close(handle);
}

}  // namespace

std::string CommandResult::last_error_line() const {
  std::string text = err;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::string tacit_command() { return TACIT_COMMAND; }

CommandResult run_command(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          const std::filesystem::path& cache) {
  return run_program(tacit_command(), arguments, folder, cache);
}

CommandResult succeed(const std::vector<std::string>& arguments) {
  CommandResult result = run_command(arguments);
  EXPECT_EQ(result.status, 0) << arguments.at(0) << ": " << result.err;
  return result;
}

CommandResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder, const std::filesystem::path& cache) {
  const std::string out = temporary_file(), err = temporary_file();
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    redirect(out, STDOUT_FILENO);
    redirect(err, STDERR_FILENO);
    alarm(kSecondsToLive);
    if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(127);
    setenv("XDG_CACHE_HOME", cache.empty() ? TACIT_TEST_CACHE : cache.c_str(), 1);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  int state = 0;
  waitpid(child, &state, 0);
  CommandResult result;
  if (WIFEXITED(state)) result.status = WEXITSTATUS(state);
  if (WIFSIGNALED(state)) result.signal = WTERMSIG(state);
  result.out = take(out);
  result.err = take(err);
  return result;
}

}  // namespace tacit::test
