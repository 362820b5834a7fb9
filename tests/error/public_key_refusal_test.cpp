#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/command/model_file.h"
#include "tests/command/workspace.h"
#include "tests/error/refusal.h"

namespace tacit::test {
namespace {

/// Keys of a network on slots, of another one of the same parameters, and of trees on integers.
class PublicKeyRefusal : public ::testing::Test {
 protected:
  static Workspace& workspace() {
    static Workspace made;
    return made;
  }
  static std::string file(const std::string& name) { return workspace()(name); }
  static void succeed(const std::vector<std::string>& arguments) {
    const CommandResult result = run_command(arguments);
    ASSERT_EQ(result.status, 0) << arguments.at(0) << ": " << result.err;
  }
  static void make(const std::string& name, const std::string& model, const std::vector<std::string>& options) {
    std::vector<std::string> compile{"compile", model, "-o", file(name)};
    compile.insert(compile.end(), options.begin(), options.end());
    succeed(compile);
    succeed({"keygen", file(name + "/client.tacit"), "--secret", file(name + "/secret"), "--evaluation",
             file(name + "/keys"), "--public", file(name + "/public")});
  }
  static void SetUpTestSuite() {
    workspace().array("x.npy", {2, 4}, {0.5, -0.5, 0.5, 0, 0, 0.25, -1, 1});
    const std::string small = workspace().bytes("m.onnx", model_bytes({.operators = {"Gemm"}}));
    const std::string other = workspace().bytes("o.onnx", model_bytes({.operators = {"Gemm", "Gemm"}}));
    make("a", small, {"--input-range", "-1,1"});
    make("b", other, {"--input-range", "-1,1"});
    make("t", workspace().bytes("trees.onnx", tree_model_bytes()),
         {"--scheme", "tfhe", "--bits", "4", "--input-range", "-1,1"});
  }
  static std::vector<std::string> encrypt(const std::string& model, const std::vector<std::string>& key) {
    std::vector<std::string> arguments{"encrypt",    file(model + "/client.tacit"), "--input", file("x.npy"), "-o",
                                       file("never")};
    arguments.insert(arguments.end(), key.begin(), key.end());
    return arguments;
  }
  void TearDown() override { EXPECT_FALSE(std::filesystem::exists(file("never"))); }
};

TEST_F(PublicKeyRefusal, OneKeyEncrypts) {
  expect_refusal(encrypt("a", {"--key", file("a/secret"), "--public-key", file("a/public")}), kBadInput,
                 {"--key and --public-key were both given; leave one of the two out"});
  expect_refusal(encrypt("a", {}), kBadInput, {"give the key that encrypts", "--key", "--public-key"});
}

TEST_F(PublicKeyRefusal, ASecretKeyIsNoPublicKey) {
  for (const std::string model : {"a", "t"}) {
    expect_refusal(encrypt(model, {"--public-key", file(model + "/secret")}), kBadInput,
                   {"it holds a secret key where a public key is needed"});
    expect_refusal(encrypt(model, {"--public-key", file(model + "/keys")}), kBadInput,
                   {"it holds evaluation keys where a public key is needed"});
  }
}

TEST_F(PublicKeyRefusal, APublicKeyDecryptsNothing) {
  for (const std::string model : {"a", "t"})
    expect_refusal({"decrypt", file(model + "/client.tacit"), "--key", file(model + "/public"), "--input",
                    file(model + "/keys"), "-o", file("never")},
                   kBadInput, {"it holds a public key where a secret key is needed"});
}

TEST_F(PublicKeyRefusal, AKeyOfAnotherModelIsRefused) {
  for (const auto& [model, key] : {std::pair("a", "b"), {"b", "a"}, {"a", "t"}, {"t", "a"}})
    expect_refusal(encrypt(model, {"--public-key", file(std::string(key) + "/public")}), kKeyMismatch,
                   {file(std::string(key) + "/public")});
}

TEST_F(PublicKeyRefusal, ADamagedKeyIsRefused) {
  for (const std::string model : {"a", "t"}) {
    const std::string good = read_bytes(file(model + "/public"));
    for (const std::size_t at : {std::size_t{0}, good.size() / 3, good.size() - 1}) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      expect_refusal(encrypt(model, {"--public-key", workspace().bytes("damaged", damaged)}), kBadInput,
                     {file("damaged")});
    }
    expect_refusal(encrypt(model, {"--public-key", workspace().bytes("damaged", good.substr(0, good.size() - 1))}),
                   kBadInput, {file("damaged")});
  }
}

}  // namespace
}  // namespace tacit::test
