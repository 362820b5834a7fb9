#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json succeed(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const CommandResult result = run_command(arguments);
  EXPECT_EQ(result.status, 0) << arguments.at(0) << ": " << result.err;
  return json::parse(result.out);
}

void refuse(const std::vector<std::string>& arguments, int status, const std::string& part) {
  const CommandResult result = run_command(arguments);
  EXPECT_EQ(result.status, status) << result.err;
  EXPECT_EQ(result.signal, 0);
  EXPECT_THAT(result.last_error_line(), HasSubstr(part));
}

TEST(Receipt, NamesWhatWasComputedWith) {
  const Workspace workspace;
  const std::string model = workspace.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}}));
  const std::string server = workspace("server.tacit"), keys = workspace("evaluation"), x = workspace("x.ct"),
                    y = workspace("y.ct"), receipt = y + ".receipt";
  const json compiled = succeed({"compile", model, "--input-range", "-1,1", "-o", workspace(".")});
  const json made =
      succeed({"keygen", workspace("client.tacit"), "--secret", workspace("secret"), "--evaluation", keys});
  const json asked = succeed({"encrypt", workspace("client.tacit"), "--key", workspace("secret"), "--input",
                              workspace.array("x.npy", {1, 4}, {0.5, -0.5, 0.25, 0}), "-o", x});
  const json answered = succeed({"evaluate", server, "--keys", keys, "--input", x, "-o", y});
  EXPECT_EQ(answered["receipt"], receipt);

  // The roots that the other commands told are those of the receipt, and the files have them.
  const json said = json::parse(read_bytes(receipt));
  EXPECT_EQ(said["model"], compiled["server"]["root"]);
  EXPECT_EQ(said["keys"], made["evaluation_root"]);
  EXPECT_EQ(said["input"], asked["root"]);
  EXPECT_EQ(said["output"], answered["root"]);
  const json checked =
      succeed({"verify-receipt", receipt, "--model", server, "--keys", keys, "--input", x, "--output", y});
  EXPECT_EQ(checked["checked"], json({"model", "keys", "input", "output", "parameters"}));
  EXPECT_EQ(succeed({"verify-receipt", receipt, "--model", said["model"]})["checked"], json({"model"}));
  EXPECT_EQ(succeed({"verify-receipt", receipt})["checked"], json::array());

  // Another file, another root, a wrong kind, a flipped bit, an altered receipt.
  refuse({"verify-receipt", receipt, "--input", y}, app::kKeyMismatch, "is not the input");
  refuse({"verify-receipt", receipt, "--output", said["model"]}, app::kKeyMismatch, "is not the output");
  refuse({"verify-receipt", receipt, "--keys", x}, app::kBadInput, "where evaluation keys");
  refuse({"verify-receipt", receipt, "--keys", workspace("absent")}, app::kBadInput, "absent");
  std::string bytes = read_bytes(keys);
  bytes[128 + 5] ^= 1;
  refuse({"verify-receipt", receipt, "--keys", workspace.bytes("flipped", bytes)}, app::kBadInput, "chunk 0 of");
  std::string altered = read_bytes(receipt);
  altered.replace(altered.find(said["input"].get<std::string>()), 64, said["output"].get<std::string>());
  refuse({"verify-receipt", workspace.bytes("altered", altered)}, app::kBadInput, "commitment");
  // Input and output that changed places.
  json swapped = said;
  swapped["input"].swap(swapped["output"]);
  refuse({"verify-receipt", workspace.bytes("swapped", swapped.dump())}, app::kBadInput, "commitment");
  // A root in capital letters is the same root.
  std::string capitals = said["model"];
  for (char& c : capitals) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(succeed({"verify-receipt", receipt, "--model", capitals})["checked"], json({"model"}));
  refuse({"verify-receipt", receipt, "--model", std::string(64, 'f')}, app::kBadInput, "not below");
  refuse({"verify-receipt", y}, app::kBadInput, "no receipt");
  refuse({"evaluate", server, "--keys", keys, "--input", x, "-o", workspace("z.ct"), "--receipt", x}, app::kBadInput,
         "overwritten");
  succeed({"evaluate", server, "--keys", keys, "--input", x, "-o", workspace("z.ct"), "--receipt", workspace("z")});
  EXPECT_EQ(json::parse(read_bytes(workspace("z")))["input"], said["input"]);
}

}  // namespace
}  // namespace tacit::test
