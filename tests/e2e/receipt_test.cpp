#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

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

json printed_by(std::vector<std::string> arguments) {
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
  const json compiled = printed_by({"compile", model, "--input-range", "-1,1", "-o", workspace(".")});
  const json made =
      printed_by({"keygen", workspace("client.tacit"), "--secret", workspace("secret"), "--evaluation", keys});
  const json asked = printed_by({"encrypt", workspace("client.tacit"), "--key", workspace("secret"), "--input",
                                 workspace.array("x.npy", {1, 4}, {0.5, -0.5, 0.25, 0}), "-o", x});
  const json answered = printed_by({"evaluate", server, "--keys", keys, "--input", x, "-o", y});
  EXPECT_EQ(answered["receipt"], receipt);

  // The roots that the other commands told are those of the receipt, and the files have them.
  const json said = json::parse(read_bytes(receipt));
  EXPECT_EQ(said["model"], compiled["server"]["root"]);
  EXPECT_EQ(said["keys"], made["evaluation_root"]);
  EXPECT_EQ(said["input"], asked["root"]);
  EXPECT_EQ(said["output"], answered["root"]);
  const json checked =
      printed_by({"verify-receipt", receipt, "--model", server, "--keys", keys, "--input", x, "--output", y});
  EXPECT_EQ(checked["checked"], json({"model", "keys", "input", "output", "model id", "parameters"}));
  EXPECT_EQ(checked["not_checked"].size(), 1u);
  EXPECT_THAT(checked["not_checked"][0].get<std::string>(), HasSubstr("not signed"));
  // The client's half says which model it is, without the server's file.
  const json client = printed_by({"verify-receipt", receipt, "--client", workspace("client.tacit"), "--keys", keys});
  EXPECT_EQ(client["checked"], json({"keys", "model id", "parameters"}));
  EXPECT_EQ(client["not_checked"].size(), 4u);
  EXPECT_EQ(printed_by({"verify-receipt", receipt, "--model", said["model"]})["checked"], json({"model"}));
  EXPECT_EQ(printed_by({"verify-receipt", receipt})["checked"], json::array());

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
  EXPECT_EQ(printed_by({"verify-receipt", receipt, "--model", capitals})["checked"], json({"model"}));
  refuse({"verify-receipt", receipt, "--model", std::string(64, 'f')}, app::kBadInput, "not below");
  refuse({"verify-receipt", y}, app::kBadInput, "no receipt");
  refuse({"evaluate", server, "--keys", keys, "--input", x, "-o", workspace("z.ct"), "--receipt", x}, app::kBadInput,
         "overwritten");
  printed_by({"evaluate", server, "--keys", keys, "--input", x, "-o", workspace("z.ct"), "--receipt", workspace("z")});
  EXPECT_EQ(json::parse(read_bytes(workspace("z")))["input"], said["input"]);

  // The client's half of a model with other weights.
  std::filesystem::create_directory(workspace("other"));
  printed_by({"compile", workspace.bytes("n.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm", "Mul"}})),
              "--input-range", "-1,1", "-o", workspace("other")});
  refuse({"verify-receipt", receipt, "--client", workspace("other/client.tacit")}, app::kKeyMismatch,
         "speaks of another model");
}

// The seed and the public key of RFC 8032, section 7.1, tests 1 and 2, in PEM (RFC 8410).
constexpr const char* kSigningKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\n";
constexpr const char* kSigner =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
    "-----END PUBLIC KEY-----\n";
constexpr const char* kStranger =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n"
    "-----END PUBLIC KEY-----\n";

TEST(Receipt, IsSignedWhereTheServerHasAKey) {
  const Workspace workspace;
  const std::string model = workspace.bytes("m.onnx", model_bytes({.operators = {"Gemm"}}));
  const std::string y = workspace("y.ct"), receipt = y + ".receipt", key = workspace.bytes("key.pem", kSigningKey),
                    signer = workspace.bytes("pub.pem", kSigner), stranger = workspace.bytes("other.pem", kStranger);
  printed_by({"compile", model, "--input-range", "-1,1", "-o", workspace(".")});
  printed_by({"keygen", workspace("client.tacit"), "--secret", workspace("secret"), "--evaluation", workspace("keys")});
  printed_by({"encrypt", workspace("client.tacit"), "--key", workspace("secret"), "--input",
              workspace.array("x.npy", {1, 4}, {0.5, -0.5, 0.25, 0}), "-o", workspace("x.ct")});
  const std::vector<std::string> evaluate{"evaluate", workspace("server.tacit"), "--keys", workspace("keys"),
                                          "--input",  workspace("x.ct"),         "-o",     y};
  printed_by(evaluate);
  refuse({"verify-receipt", receipt, "--signer", signer}, app::kKeyMismatch, "is not signed");
  std::vector<std::string> with_signature = evaluate;
  with_signature.insert(with_signature.end(), {"--sign", key});
  chmod(key.c_str(), 0640);
  refuse(with_signature, app::kBadInput, "others may read or change this signing key (mode 0640)");
  chmod(key.c_str(), 0600);
  printed_by(with_signature);
  EXPECT_EQ(printed_by({"verify-receipt", receipt, "--signer", signer})["checked"], json({"signature"}));
  refuse({"verify-receipt", receipt, "--signer", stranger}, app::kKeyMismatch, "is not the key in");
  json forged = json::parse(read_bytes(receipt));
  forged["signature"] = std::string(128, '0');
  refuse({"verify-receipt", workspace.bytes("forged", forged.dump())}, app::kBadInput, "its signature is not");
  refuse({"evaluate", workspace("server.tacit"), "--keys", workspace("keys"), "--input", workspace("x.ct"), "-o", y,
          "--sign", signer},
         app::kBadInput, "no private key");
}

}  // namespace
}  // namespace tacit::test
