#include <gtest/gtest.h>

#include <filesystem>

#include "tests/command/model_file.h"
#include "tests/command/workspace.h"
#include "tests/error/refusal.h"

namespace tacit::test {
namespace {

/// Client and server of trees on integers that have done their work once, and files of slots beside theirs.
class IntegersRefusal : public ::testing::Test {
 protected:
  static Workspace& workspace() {
    static Workspace made;
    return made;
  }
  static std::string file(const std::string& name) { return workspace()(name); }
  static void succeed(const std::vector<std::string>& arguments) {
    const CommandResult result = run_command(arguments);
    ASSERT_EQ(result.status, 0) << arguments[0] << ": " << result.err;
  }
  static void SetUpTestSuite() {
    const Workspace& w = workspace();
    w.bytes("trees.onnx", tree_model_bytes());
    w.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm1"}}));
    w.array("c.npy", {3, 4}, {1, 1, 1, 1, -1, -1, -1, -1, 0, 0, 0, 0});
    w.array("x.npy", {1, 4}, {0.5, -0.5, 0.25, 0});
    succeed({"compile", file("trees.onnx"), "-o", file("t"), "--scheme", "tfhe", "--bits", "4", "--failure", "2^-40",
             "--calibrate", file("c.npy")});
    succeed({"compile", file("m.onnx"), "-o", file("c"), "--calibrate", file("c.npy"), "--input-range", "-2,2"});
    for (const char* party : {"t", "c"}) {
      const std::string folder = file(party);
      succeed({"keygen", folder + "/client.tacit", "--secret", folder + "/secret", "--evaluation", folder + "/keys"});
      succeed({"encrypt", folder + "/client.tacit", "--key", folder + "/secret", "--input", file("x.npy"), "-o",
               folder + "/x"});
      succeed({"evaluate", folder + "/server.tacit", "--keys", folder + "/keys", "--input", folder + "/x", "-o",
               folder + "/y"});
    }
  }
  static std::vector<std::string> compile(std::initializer_list<std::string> more) {
    std::vector<std::string> arguments{"compile", file("trees.onnx"), "-o", file("never"), "--scheme", "tfhe"};
    arguments.insert(arguments.end(), more);
    return arguments;
  }
  static std::vector<std::string> evaluate(const std::string& server, const std::string& keys, const std::string& x) {
    return {"evaluate", file(server), "--keys", file(keys), "--input", file(x), "-o", file("never.ct")};
  }
  static std::vector<std::string> decrypt(const std::string& client, const std::string& key, const std::string& y) {
    return {"decrypt", file(client), "--key", file(key), "--input", file(y), "-o", file("never.npy")};
  }
};

TEST_F(IntegersRefusal, RegionsOfTheOtherScheme) {
  expect_refusal({"plan", file("m.onnx"), "--input-range", "-2,2", "--regions"}, kBadInput,
                 {"--regions", "--scheme tfhe"});
}

TEST_F(IntegersRefusal, RoundingOfTheOtherScheme) {
  expect_refusal({"plan", file("m.onnx"), "--input-range", "-2,2", "--rounding", "exact"}, kBadInput,
                 {"--rounding belongs to networks on integers", "--scheme tfhe"});
  expect_refusal({"plan", file("m.onnx"), "--input-range", "-2,2", "--rounding", "exact", "--scheme", "auto"},
                 kBadInput, {"exact rounding", "(auto) it may be CKKS", "--scheme tfhe"});
}

TEST_F(IntegersRefusal, FilesOfTheOtherScheme) {
  const std::vector<std::string> slots{"belongs to CKKS", "belongs to TFHE"};
  expect_refusal(evaluate("t/server.tacit", "c/keys", "t/x"), kKeyMismatch, slots);
  expect_refusal(evaluate("t/server.tacit", "t/keys", "c/x"), kKeyMismatch, slots);
  expect_refusal(evaluate("c/server.tacit", "t/keys", "c/x"), kKeyMismatch, slots);
  expect_refusal(evaluate("c/server.tacit", "c/keys", "t/x"), kKeyMismatch, slots);
  expect_refusal(decrypt("t/client.tacit", "c/secret", "t/y"), kKeyMismatch, slots);
  expect_refusal(decrypt("t/client.tacit", "t/secret", "c/y"), kKeyMismatch, slots);
  expect_refusal(decrypt("c/client.tacit", "t/secret", "c/y"), kKeyMismatch, slots);
  expect_refusal(decrypt("c/client.tacit", "c/secret", "t/y"), kKeyMismatch, slots);
  expect_refusal(
      {"encrypt", file("t/client.tacit"), "--key", file("c/secret"), "--input", file("x.npy"), "-o", file("never.ct")},
      kKeyMismatch, slots);
  expect_refusal({"verify-receipt", file("t/y.receipt"), "--client", file("c/client.tacit")}, kKeyMismatch,
                 {"another model"});
}

TEST_F(IntegersRefusal, FilesInEachOthersPlace) {
  expect_refusal(evaluate("t/server.tacit", "t/secret", "t/x"), kBadInput, {"secret key"});
  expect_refusal(evaluate("t/client.tacit", "t/keys", "t/x"), kBadInput, {"client model", "server model"});
  expect_refusal(evaluate("t/server.tacit", "t/keys", "t/y"), kBadInput, {"evaluated already"});
  expect_refusal(decrypt("t/client.tacit", "t/keys", "t/y"), kBadInput, {"evaluation keys", "secret key"});
  expect_refusal(decrypt("t/client.tacit", "t/secret", "t/x"), kBadInput, {"no server has evaluated"});
}

TEST_F(IntegersRefusal, KeysOfAnotherKeyGeneration) {
  succeed({"keygen", file("t/client.tacit"), "--secret", file("other.secret"), "--evaluation", file("other.keys")});
  expect_refusal(evaluate("t/server.tacit", "other.keys", "t/x"), kKeyMismatch, {"key set", "one key generation"});
  expect_refusal(decrypt("t/client.tacit", "other.secret", "t/y"), kKeyMismatch, {"key set", "one key generation"});
}

TEST_F(IntegersRefusal, LessMemoryThanARunNeeds) {
  const std::string c = file("c.npy");
  const auto little = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--memory", "100MB"});
    return arguments;
  };
  const std::vector<std::string> plan{"plan", file("trees.onnx"), "--scheme", "tfhe", "--calibrate", c};
  for (const std::vector<std::string>& arguments : {compile({"--calibrate", c}), plan})
    expect_refusal(little(arguments), kBadInput,
                   {"keys, tables and ciphertexts of model 'trees.onnx' need", "budget is 95.4 MiB", "--memory"});
}

TEST_F(IntegersRefusal, OptionsThatBelongToSlots) {
  const std::string c = file("c.npy");
  for (const auto& [option, value] : {std::pair("--max-degree", "5"), std::pair("--max-polynomial-error", "0.2"),
                                      std::pair("--batch", "2"), std::pair("--costs", "p")})
    expect_refusal(compile({"--calibrate", c, option, value}), kBadInput, {option, "--scheme ckks"});
  for (const auto& [option, value] : {std::pair("--bits", "5"), std::pair("--failure", "2^-64")})
    expect_refusal({"plan", file("m.onnx"), "--calibrate", c, option, value}, kBadInput, {option, "--scheme tfhe"});
  expect_refusal(compile({"--calibrate", c, "--parameters", "N14"}), kBadInput, {"N14", "T4"});
  expect_refusal(compile({"--calibrate", c, "--parameters", "T2"}), kBadInput, {"layer 'trees'", "'T2'", "6 bits"});
  expect_refusal(compile({"--calibrate", c, "--bits", "3", "--parameters", "T6"}), kBadInput,
                 {"tables have 3 bits", "'T6'", "--bits"});
  expect_refusal(compile({"--calibrate", c, "--bits", "9"}), kBadInput, {"--bits", "2 to 8"});
}

TEST_F(IntegersRefusal, NumbersForOthersThatNoiseWouldDecide) {
  const std::string c = file("c.npy");
  const std::string rounds = workspace().bytes("rounds.onnx", model_bytes({.operators = {"Gemm", "Relu", "Gemm1"}}));
  const std::vector<std::string> plan{"plan", rounds,        "--scheme", "tfhe",    "--bits",
                                      "4",    "--calibrate", c,          "--share", "8"};
  expect_refusal(plan, kBadInput, {"numbers of results cannot be shared: node", "noise decides", "--rounding exact"});
  // The trees fail with probability 2^-40 a lookup, and 1024 results with 30 bits allow 2^-40 for all of them.
  const auto share = [&](const std::vector<std::string>& promise) {
    auto shared = decrypt("t/client.tacit", "t/secret", "t/y");
    shared.insert(shared.end(), {"--share", "8"});
    shared.insert(shared.end(), promise.begin(), promise.end());
    return shared;
  };
  expect_refusal(share({}), kBadInput,
                 {"noise changes a result with probability 2^-3",
                  "1024 shared results with 30 statistical bits allow "
                  "2^-40.0",
                  "--failure", "--share-decryptions"});
  expect_refusal(share({"--share-statistical-bits", "19"}), kBadInput, {"statistical bits"});
  expect_refusal(compile({"--calibrate", c, "--bits", "4", "--failure", "2^-40", "--share", "8"}), kBadInput,
                 {"noise changes a result with probability 2^-3", "--failure"});
}

TEST_F(IntegersRefusal, TruncatedAndDamagedFiles) {
  for (const char* name : {"t/server.tacit", "t/client.tacit", "t/keys", "t/secret", "t/x", "t/y"}) {
    const std::string whole = read_bytes(file(name));
    for (const bool cut : {true, false})
      for (const std::size_t place : {std::size_t{0}, std::size_t{11}, whole.size() / 2, whole.size() - 1}) {
        std::string damaged = cut ? whole.substr(0, place) : whole;
        if (!cut) damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
        const std::string path = workspace().bytes("damaged", damaged);
        std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        const auto either = [&](const char* at) { return at == std::string_view(name) ? "damaged" : at; };
        const bool server = std::string_view("t/server.tacit t/keys t/x").find(name) != std::string_view::npos;
        expect_refusal(server ? evaluate(either("t/server.tacit"), either("t/keys"), either("t/x"))
                              : decrypt(either("t/client.tacit"), either("t/secret"), either("t/y")),
                       kBadInput, {path});
      }
  }
}

}  // namespace
}  // namespace tacit::test
