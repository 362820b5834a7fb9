#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "session/owner/npy.h"
#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

/// The words of the example that `tacit COMMAND --help` shows, without "tacit"; quotes hold a word together.
std::vector<std::string> example_of(std::vector<std::string> command) {
  command.push_back("--help");
  const CommandResult help = run_command(command);
  EXPECT_EQ(help.status, 0) << help.err;
  const std::string heading = "Example:\n  tacit ";
  const std::size_t begin = help.out.find(heading);
  if (begin == std::string::npos) {
    ADD_FAILURE() << "no example in " << help.out;
    return {};
  }
  const std::size_t first = begin + heading.size();
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : help.out.substr(first, help.out.find('\n', first) - first)) {
    if (c == '\'')
      quoted = !quoted;
    else if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

std::vector<double> pixels(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i * 37 % 256);
  return values;
}

TEST(HelpExamples, EveryOneWorksInTheOrderOfAClientAndAServer) {
  const Workspace workspace;
  const std::filesystem::path folder = workspace(".");
  const std::string network = model_bytes({.operators = {"Gemm", "Mul", "Gemm1"}});
  for (const char* name : {"model.onnx", "cryptonets.onnx"}) workspace.bytes(name, network);
  workspace.bytes("lenet.onnx", model_bytes({.input_shape = {1, 1, 8, 8}, .operators = {"Mul"}}));
  workspace.array("images.npy", {10, 4}, pixels(40));
  workspace.array("labels.npy", {10}, std::vector<double>(10, 1));
  workspace.array("train.npy", {16, 4, 4}, pixels(256));
  workspace.array("x.npy", {2, 4, 4}, pixels(32));
  const std::vector<std::vector<std::string>> commands = {{},
                                                          {"run"},
                                                          {"plan"},
                                                          {"compile"},
                                                          {"calibrate"},
                                                          {"keygen"},
                                                          {"encrypt"},
                                                          {"evaluate"},
                                                          {"decrypt"},
                                                          {"bench"},
                                                          {"bench", "ckks"},
                                                          {"verify-receipt"},
                                                          {"merkle"},
                                                          {"merkle", "root"},
                                                          {"merkle", "prove"},
                                                          {"merkle", "append"},
                                                          {"merkle", "diff"},
                                                          {"validate"}};
  for (const char* name : {"weights.bin", "weights-1.bin", "weights-2.bin", "log.1", "log.2"})
    workspace.bytes(name, std::string(100000, *name));
  for (const std::vector<std::string>& command : commands) {
    const std::vector<std::string> example = example_of(command);
    ASSERT_FALSE(example.empty());
    if (!command.empty()) {
      EXPECT_EQ(example.front(), command.front());
    }
    const CommandResult result = run_command(example, folder);
    EXPECT_EQ(result.status, 0) << example.front() << ": " << result.err;
    EXPECT_FALSE(result.out.empty()) << example.front();
  }
  EXPECT_EQ(session::read_npy(workspace("y.npy")).shape(), (std::vector<std::int64_t>{2, 1, 8, 8}));
}

TEST(HelpExamples, ThoseOfSearchWorkInTheOrderOfAStoreAndItsClient) {
  const Workspace workspace;
  workspace.array("vectors.npy", {1300, 4}, pixels(5200));
  workspace.array("more.npy", {2, 4}, pixels(8));
  workspace.array("q.npy", {1, 4}, {1, 2, 3, 4});
  for (const char* name : {"build", "plan", "append", "keygen", "query", "evaluate", "decrypt", "delete"}) {
    const std::vector<std::string> example = example_of({"search", name});
    ASSERT_GT(example.size(), 2U);
    EXPECT_EQ(example[1], name);
    const CommandResult result = run_command(example, workspace("."));
    EXPECT_EQ(result.status, 0) << name << ": " << result.err;
    EXPECT_FALSE(result.out.empty()) << name;
  }
}

}  // namespace
}  // namespace tacit::test
