#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "app/command_line.h"

namespace tacit::test {
namespace {

/// How a process that ran this command, which refuses what it is given, stands afterwards.
struct State {
  int status = 0;
  bool dumpable = true;
  rlim_t core = RLIM_INFINITY;
};

State after(const std::vector<std::string>& arguments) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    std::vector<const char*> words{"tacit"};
    for (const std::string& argument : arguments) words.push_back(argument.c_str());
    State state;
    state.status = app::run_command_line(static_cast<int>(words.size()), words.data());
    state.dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0;
    rlimit limit{};
    getrlimit(RLIMIT_CORE, &limit);
    state.core = limit.rlim_max;
    _exit(write(ends[1], &state, sizeof state) == sizeof state ? 0 : 1);
  }
  close(ends[1]);
  State state;
  EXPECT_EQ(read(ends[0], &state, sizeof state), static_cast<ssize_t>(sizeof state));
  close(ends[0]);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return state;
}

TEST(CoreDumps, AreForbiddenWhereACommandHoldsSecrets) {
  const std::string none = "/nowhere/there";
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"keygen", none, "--secret", "s", "--evaluation", "e"},
                                             {"encrypt", none, "--key", none, "--input", none, "-o", "x"},
                                             {"decrypt", none, "--key", none, "--input", none, "-o", "y"},
                                             {"run", none, "--input", none},
                                             {"validate", none, "--input", none}}) {
    const State state = after(arguments);
    EXPECT_EQ(state.status, app::kBadInput) << arguments.front();
    EXPECT_FALSE(state.dumpable) << arguments.front();
    EXPECT_EQ(state.core, 0u) << arguments.front();
  }
}

TEST(CoreDumps, AreLeftAloneElsewhere) {
  const bool before = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0;
  EXPECT_EQ(after({"plan", "/nowhere/there"}).dumpable, before);
}

}  // namespace
}  // namespace tacit::test
