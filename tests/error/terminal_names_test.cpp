#include <gtest/gtest.h>

#include <sstream>

#include "runtime/compiled_model.h"
#include "tests/command/model_file.h"
#include "tests/command/workspace.h"
#include "tests/error/refusal.h"

namespace tacit::test {
namespace {

/// What a terminal obeys: it clears the screen, sets a title, begins a line of its own, and clears again by the
/// one-byte form of "ESC [".
const std::string kMark =
    "\x1b[2J\x1b]0;owned\x07\nforged\r\xC2\x9B"
    "2J";

/// Expects that nothing in a text is obeyed, and that no line of it begins as the mark would have one begin.
void expect_harmless(const std::string& text, const std::string& what) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool control = (c < ' ' && c != '\n') || c == 0x7F;
    const bool second = i + 1 < text.size() && c == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    EXPECT_FALSE(control || second) << what << ": byte " << static_cast<int>(c) << " at " << i << " of: " << text;
    if (control || second) return;
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_NE(line.rfind("forged", 0), 0u) << what << ": " << line;
}

class TerminalNames : public ::testing::Test {
 protected:
  /// Runs a command, which must end with this status, and looks at what it says, as text and as JSON.
  void run(int status, std::vector<std::string> arguments) const {
    for (const bool json : {false, true}) {
      if (json) arguments.push_back("--json");
      const CommandResult result = run_command(arguments);
      EXPECT_EQ(result.signal, 0);
      EXPECT_EQ(result.status, status) << arguments[0] << ": " << result.err;
      EXPECT_EQ(result.err.find("internal error"), std::string::npos) << result.err;
      expect_harmless(result.out, arguments[0] + " on standard output");
      expect_harmless(result.err, arguments[0] + " on standard error");
    }
  }
  Workspace workspace_;
  const std::string model_ =
      workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}, .mark = kMark}));
  const std::string x_ = workspace_.array("x.npy", {1, 4}, {0.5, -0.5, 0.25, 0});
  const std::string far_ = workspace_.array("far.npy", {2, 4}, {0, 0, 50, 0, 0, 0, 0, 60});
};

TEST_F(TerminalNames, OfAModelReachItAsLines) {
  const std::vector<std::string> range{"--input-range", "-2,2"};
  const auto with_range = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), range.begin(), range.end());
    return arguments;
  };
  run(0, with_range({"plan", model_}));
  run(0, with_range({"run", model_, "--input", x_, "--show"}));
  run(2, with_range({"run", model_, "--input", far_, "--simulate"}));
  run(0, with_range({"validate", model_, "--input", x_}));
  run(0, with_range({"validate", model_, "--dry"}));
  run(3, with_range({"validate", model_, "--input", x_, "--epsilon", "-14", "--fail-fast"}));
  run(2, {"plan", workspace_.bytes("bad.onnx", model_bytes({.operators = {"NoSuch" + kMark}, .mark = kMark}))});
  run(2, {"plan", model_, "--keep-private", "none"});
}

TEST_F(TerminalNames, OfArtefactsReachItAsLines) {
  run(0, {"compile", model_, "-o", workspace_("."), "--input-range", "-2,2"});
  const std::string client = workspace_("client.tacit"), server = workspace_("server.tacit");
  runtime::ClientModel small = runtime::load_client_model(client);
  small.name += kMark;
  small.literal.name += "\x1b[2J\nforged";
  runtime::save(small, client);
  runtime::ServerModel large = runtime::load_server_model(server);
  large.name = small.name;
  large.literal.name = small.literal.name;
  large.program.name += kMark;
  runtime::save(large, server);

  const std::string secret = workspace_("s"), keys = workspace_("e"), question = workspace_("x.ct"),
                    answer = workspace_("y.ct");
  run(0, {"keygen", client, "--secret", secret, "--evaluation", keys, "--force"});
  run(2, {"keygen", client, "--secret", secret, "--evaluation", keys, "--force", "--memory", "45MiB"});
  run(0, {"encrypt", client, "--key", secret, "--input", x_, "-o", question});
  run(2, {"encrypt", client, "--key", secret, "--input", far_, "-o", workspace_("never.ct")});
  run(0, {"evaluate", server, "--keys", keys, "--input", question, "-o", answer});
  run(0, {"decrypt", client, "--key", secret, "--input", answer, "-o", workspace_("y.npy")});
  run(0, {"validate", server, "--dry"});
}

}  // namespace
}  // namespace tacit::test
