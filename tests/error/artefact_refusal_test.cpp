#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "runtime/compiled_model.h"
#include "runtime/slots/ciphertext_file.h"
#include "scheme/ckks/encoder.h"
#include "tests/command/model_file.h"
#include "tests/command/workspace.h"
#include "tests/error/refusal.h"

namespace tacit::test {
namespace {

/// A client and a server that have done their work once, and things that go wrong between them.
class ArtefactRefusal : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string model = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm1"}}));
    succeed({"compile", model, "-o", workspace_("."), "--calibrate",
             workspace_.array("c.npy", {4, 4}, {1, -1, 1, -1, -1, 1, -1, 1, 0.5, -0.5, 0, 0, 0.1, 0.1, -0.1, -0.1}),
             "--input-range", "-2,2"});
    succeed({"keygen", client_, "--secret", secret_, "--evaluation", evaluation_, "--public", public_});
    succeed({"encrypt", client_, "--key", secret_, "--input", x_, "-o", ct_});
    succeed({"evaluate", server_, "--keys", evaluation_, "--input", ct_, "-o", result_});
  }
  static void succeed(const std::vector<std::string>& arguments) {
    const CommandResult result = run_command(arguments);
    ASSERT_EQ(result.status, 0) << result.err;
  }
  void refuse_evaluate(const std::string& server, const std::string& keys, const std::string& input, int status,
                       const std::vector<std::string>& parts) const {
    expect_refusal({"evaluate", server, "--keys", keys, "--input", input, "-o", workspace_("never.ct")}, status, parts);
    EXPECT_FALSE(std::filesystem::exists(workspace_("never.ct")));
  }

  Workspace workspace_;
  const std::string server_ = workspace_("server.tacit"), client_ = workspace_("client.tacit");
  const std::string secret_ = workspace_("my.secret"), evaluation_ = workspace_("my.evaluation"),
                    public_ = workspace_("my.public");
  const std::string x_ = workspace_.array("x.npy", {1, 4}, {0.5, -0.5, 0.25, 0}), ct_ = workspace_("x.ct"),
                    result_ = workspace_("y.ct");
};

TEST_F(ArtefactRefusal, ASecretKeyIsRefusedByEvaluateUnderEveryOption) {
  refuse_evaluate(server_, secret_, ct_, kBadInput, {"secret key"});
  refuse_evaluate(server_, evaluation_, secret_, kBadInput, {"secret key"});
  refuse_evaluate(secret_, evaluation_, ct_, kBadInput, {"secret key"});
}

TEST_F(ArtefactRefusal, SecretKeysAreForTheirOwnerOnly) {
  struct stat state {};
  ASSERT_EQ(stat(secret_.c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777, 0600u);
  for (const mode_t mode : {0644, 0640, 0604, 0620, 0601}) {
    chmod(secret_.c_str(), mode);
    const std::vector<std::string> parts{secret_ + ": others may read or change this secret key (mode 0",
                                         "chmod 600 " + secret_};
    expect_refusal({"decrypt", client_, "--key", secret_, "--input", result_, "-o", workspace_("y.npy")}, kBadInput,
                   parts);
    expect_refusal({"encrypt", client_, "--key", secret_, "--input", x_, "-o", workspace_("never.ct")}, kBadInput,
                   parts);
  }
  EXPECT_FALSE(std::filesystem::exists(workspace_("y.npy")));
  chmod(secret_.c_str(), 0400);
  succeed({"decrypt", client_, "--key", secret_, "--input", result_, "-o", workspace_("y.npy")});
  expect_refusal({"keygen", client_, "--secret", secret_, "--evaluation", workspace_("other")}, kBadInput, {"exists"});
}

TEST_F(ArtefactRefusal, InsecureParametersThatAFileAsksForNeedTheUsersWord) {
  // A name of the file's choice, which nothing repeats.
  const std::string weak = workspace_.bytes(
      "weak.json",
      R"({"name": "N14-d7", "log_n": 11, "q_bits": [50, 40, 40, 40], "p_bits": [50], "log_scale": 40, "insecure": true})");
  std::filesystem::create_directory(workspace_("weak"));
  succeed({"compile", workspace_("m.onnx"), "-o", workspace_("weak"), "--calibrate", workspace_("c.npy"),
           "--input-range", "-2,2", "--parameters", weak});
  const std::string client = workspace_("weak/client.tacit"), server = workspace_("weak/server.tacit"),
                    secret = workspace_("weak/secret"), keys = workspace_("weak/keys"), x = workspace_("weak/x.ct"),
                    y = workspace_("weak/y.ct"), shown = workspace_("weak/y.npy");
  const std::vector<std::vector<std::string>> commands{
      {"keygen", client, "--secret", secret, "--evaluation", keys},
      {"encrypt", client, "--key", secret, "--input", x_, "-o", x},
      {"evaluate", server, "--keys", keys, "--input", x, "-o", y},
      {"decrypt", client, "--key", secret, "--input", y, "--question", x, "-o", shown}};
  for (std::vector<std::string> command : commands) {
    expect_refusal(command, kBadInput, {"INSECURE", "N = 2^11, log QP", "--insecure"});
    command.emplace_back("--insecure");
    const CommandResult result = run_command(command);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.err,
                ::testing::AllOf(::testing::HasSubstr("INSECURE"), ::testing::Not(::testing::HasSubstr("N14-d7"))));
  }
}

TEST_F(ArtefactRefusal, AServersHalfWithOtherWeightsIsOfNoModel) {
  runtime::ServerModel model = runtime::load_server_model(server_);
  for (slots::Instruction& instruction : model.program.instructions)
    if (auto* linear = std::get_if<slots::Linear>(&instruction.operation); linear != nullptr && linear->bias)
      linear->bias = linear->bias->times(layout::RepeatedReals(1.001), 1);
  runtime::save(model, server_);
  refuse_evaluate(server_, evaluation_, ct_, kBadInput, {"server.tacit", "changed after it was compiled"});
  // With an id of its own it is another model, and neither keys nor receipts are of that.
  runtime::ClientModel client = runtime::load_client_model(client_);
  runtime::bind(model, client);
  runtime::save(model, server_);
  refuse_evaluate(server_, evaluation_, ct_, kKeyMismatch, {"model"});
  expect_refusal({"verify-receipt", result_ + ".receipt", "--model", server_}, kKeyMismatch, {"is not the model"});
  runtime::save(client, workspace_("other.tacit"));
  expect_refusal({"verify-receipt", result_ + ".receipt", "--client", workspace_("other.tacit")}, kKeyMismatch,
                 {"speaks of another model"});
}

TEST_F(ArtefactRefusal, AnAnswerThatNothingEncryptsIsNone) {
  const auto context =
      scheme::ckks::Context::make(params::CkksParameters::check(runtime::load_client_model(client_).literal));
  const runtime::CiphertextReader answers(result_, context, runtime::CiphertextRole::results);
  std::vector<runtime::CiphertextArray> sample = answers.read(0);
  scheme::ckks::Ciphertext& ciphertext = sample.at(0).at(0);
  const auto constant =
      scheme::ckks::Encoder(context).encode(std::vector<double>(8, 0.5), ciphertext.level, ciphertext.scale);
  ciphertext.c0 = constant.poly;
  for (std::size_t row = 0; row < ciphertext.c1.limbs(); ++row) std::ranges::fill(ciphertext.c1.limb_span(row), 0);
  runtime::CiphertextWriter writer(workspace_("lie.ct"), context, runtime::CiphertextRole::results, answers.binding(),
                                   answers.names());
  writer.add(sample, answers.questions().at(0));
  writer.finish();
  expect_refusal({"decrypt", client_, "--key", secret_, "--input", workspace_("lie.ct"), "--question", ct_, "-o",
                  workspace_("y.npy")},
                 kBadInput, {"result 0", "nothing encrypts"});
}

TEST_F(ArtefactRefusal, ResultsAreForTheirOwnerOnly) {
  for (const std::string format : {"npy", "json", "csv"}) {
    const std::string file = workspace_.bytes("y." + format, "what was there");
    chmod(file.c_str(), 0644);
    succeed({"decrypt", client_, "--key", secret_, "--input", result_, "-o", file, "--output-format", format});
    struct stat state {};
    ASSERT_EQ(stat(file.c_str(), &state), 0);
    EXPECT_EQ(state.st_mode & 0777, 0600u) << format;
    EXPECT_EQ(read_bytes(file).find("what was there"), std::string::npos);
  }
}

TEST_F(ArtefactRefusal, FilesOfAnotherKind) {
  refuse_evaluate(client_, evaluation_, ct_, kBadInput, {"client.tacit"});
  refuse_evaluate(server_, public_, ct_, kBadInput, {"my.public"});
  refuse_evaluate(server_, evaluation_, x_, kBadInput, {"x.npy"});
  refuse_evaluate(server_, evaluation_, workspace_("none.ct"), kBadInput, {"none.ct"});
}

TEST_F(ArtefactRefusal, FilesThatWouldBeOverwritten) {
  const std::string key = read_bytes(secret_);
  for (const std::string& spelling : {secret_, workspace_("./my.secret")}) {
    expect_refusal({"encrypt", client_, "--key", secret_, "--input", x_, "-o", spelling}, kBadInput, {"overwritten"});
    expect_refusal({"decrypt", client_, "--key", secret_, "--input", result_, "-o", spelling}, kBadInput,
                   {"overwritten"});
  }
  EXPECT_EQ(read_bytes(secret_), key);
  expect_refusal({"evaluate", server_, "--keys", evaluation_, "--input", ct_, "-o", evaluation_}, kBadInput,
                 {"overwritten"});
  expect_refusal({"keygen", client_, "--secret", client_, "--evaluation", evaluation_, "--force"}, kBadInput,
                 {"overwritten"});
  expect_refusal({"keygen", client_, "--secret", workspace_("one"), "--evaluation", workspace_("./one")}, kBadInput,
                 {"two different outputs"});
  EXPECT_FALSE(std::filesystem::exists(workspace_("one")));
  expect_refusal({"compile", workspace_("m.onnx"), "--server", workspace_("one"), "--client", workspace_("one")},
                 kBadInput, {"two different outputs"});
}

TEST_F(ArtefactRefusal, AnswersAreNoQuestionsAndQuestionsNoAnswers) {
  refuse_evaluate(server_, evaluation_, result_, kBadInput, {"y.ct", "evaluated already", "encrypt"});
  const auto refuse_decrypt = [&](const std::string& client, const std::string& key, const std::string& input) {
    expect_refusal({"decrypt", client, "--key", key, "--input", input, "-o", workspace_("never.npy")}, kBadInput,
                   {"no server has evaluated", "evaluate"});
    EXPECT_FALSE(std::filesystem::exists(workspace_("never.npy")));
  };
  refuse_decrypt(client_, secret_, ct_);
  // Nothing in the slots tells the answer of this network from its question.
  const std::string model = workspace_.bytes("square.onnx", model_bytes({.operators = {"Mul"}}));
  succeed({"compile", model, "-o", workspace_("square"), "--input-range", "-2,2"});
  const std::string client = workspace_("square/client.tacit"), key = workspace_("s.secret");
  succeed({"keygen", client, "--secret", key, "--evaluation", workspace_("s.evaluation")});
  succeed({"encrypt", client, "--key", key, "--input", x_, "-o", workspace_("s.ct")});
  refuse_decrypt(client, key, workspace_("s.ct"));
}

TEST_F(ArtefactRefusal, NoSecretStaysBehindWithoutItsKeys) {
  const std::vector<std::vector<std::string>> destinations = {
      {workspace_("new.secret"), workspace_("no/folder/new.evaluation"), workspace_("new.public")},
      {workspace_("new.secret"), workspace_("new.evaluation"), workspace_("no/folder/new.public")},
      {workspace_("no/folder/new.secret"), workspace_("new.evaluation"), workspace_("new.public")}};
  for (const auto& files : destinations) {
    expect_refusal({"keygen", client_, "--secret", files[0], "--evaluation", files[1], "--public", files[2]}, kBadInput,
                   {"no/folder"});
    for (const std::string& file : files) EXPECT_FALSE(std::filesystem::exists(file)) << file;
  }
}

TEST_F(ArtefactRefusal, PipesAreNotWaitedFor) {
  const std::string pipe = workspace_("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  refuse_evaluate(pipe, evaluation_, ct_, kBadInput, {"pipe"});
  refuse_evaluate(server_, pipe, ct_, kBadInput, {"pipe"});
  refuse_evaluate(server_, evaluation_, pipe, kBadInput, {"pipe"});
}

TEST_F(ArtefactRefusal, PipesAndFoldersAreNotReplaced) {
  // What is renamed into place would take the place of a device, too.
  const std::string pipe = workspace_("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& output : {pipe, workspace_(".")}) {
    const std::vector<std::string> parts{"a folder, a device or a pipe"};
    expect_refusal({"encrypt", client_, "--key", secret_, "--input", x_, "-o", output}, kBadInput, parts);
    expect_refusal({"evaluate", server_, "--keys", evaluation_, "--input", ct_, "-o", output}, kBadInput, parts);
    expect_refusal({"decrypt", client_, "--key", secret_, "--input", result_, "-o", output}, kBadInput, parts);
    expect_refusal({"keygen", client_, "--secret", workspace_("b"), "--evaluation", output}, kBadInput, parts);
  }
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST_F(ArtefactRefusal, KeysOfAnotherOwner) {
  succeed({"keygen", client_, "--secret", workspace_("b.secret"), "--evaluation", workspace_("b.evaluation")});
  refuse_evaluate(server_, workspace_("b.evaluation"), ct_, kKeyMismatch, {"b.evaluation"});
  expect_refusal({"decrypt", client_, "--key", workspace_("b.secret"), "--input", result_, "-o", workspace_("y.npy")},
                 kKeyMismatch, {"b.secret"});
}

TEST_F(ArtefactRefusal, KeysOfAnotherParameterSet) {
  const std::string other =
      workspace_.bytes("o.onnx", model_bytes({.operators = {"Gemm", "Mul", "Mul", "Mul", "Mul", "Gemm"}}));
  succeed({"compile", other, "-o", workspace_("other"), "--input-range", "-1,1"});
  succeed({"keygen", workspace_("other/client.tacit"), "--secret", workspace_("o.secret"), "--evaluation",
           workspace_("o.evaluation")});
  refuse_evaluate(server_, workspace_("o.evaluation"), ct_, kKeyMismatch, {"o.evaluation"});
  expect_refusal({"encrypt", client_, "--key", workspace_("o.secret"), "--input", x_, "-o", workspace_("never.ct")},
                 kKeyMismatch, {"o.secret"});
}

TEST_F(ArtefactRefusal, TruncatedAndBitFlippedFiles) {
  for (const std::string& file : {server_, evaluation_, ct_}) {
    const std::string good = read_bytes(file);
    const std::string bad = workspace_("bad");
    const auto refuse = [&](const std::string& content) {
      workspace_.bytes("bad", content);
      refuse_evaluate(file == server_ ? bad : server_, file == evaluation_ ? bad : evaluation_, file == ct_ ? bad : ct_,
                      kBadInput, {"bad"});
    };
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{50}, good.size() / 2, good.size() - 1})
      refuse(good.substr(0, bytes));
    for (const std::size_t at : {std::size_t{9}, std::size_t{40}, good.size() / 2, good.size() - 5}) {
      std::string flipped = good;
      flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
      refuse(flipped);
    }
  }
  std::string flipped = read_bytes(secret_);
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 1);
  const std::string bad_secret = workspace_.bytes("bad.secret", flipped);
  chmod(bad_secret.c_str(), 0600);
  expect_refusal({"decrypt", client_, "--key", bad_secret, "--input", result_, "-o", workspace_("y.npy")}, kBadInput,
                 {"bad.secret"});
}

TEST_F(ArtefactRefusal, EncryptRefusesValuesOutsideTheAcceptedRange) {
  expect_refusal({"encrypt", client_, "--key", secret_, "--input", workspace_.array("far.npy", {1, 4}, {0, 0, 50, 0}),
                  "-o", workspace_("never.ct")},
                 kBadInput, {"element 2 is a private value (--verbose shows it), outside [-2, 2]"});
  expect_refusal({"encrypt", client_, "--key", secret_, "--input", workspace_("far.npy"), "-o", workspace_("never.ct"),
                  "--verbose"},
                 kBadInput, {"element 2 is 50, outside [-2, 2]"});
  EXPECT_FALSE(std::filesystem::exists(workspace_("never.ct")));
}

TEST_F(ArtefactRefusal, DecryptRefusesResultsOutsideTheCalibratedBounds) {
  // Calibration saw values that cancel; these add up.
  const std::string x = workspace_.array("sum.npy", {1, 4}, {1.9, 1.9, 1.9, 1.9});
  succeed({"encrypt", client_, "--key", public_, "--input", x, "-o", ct_});
  succeed({"evaluate", server_, "--keys", evaluation_, "--input", ct_, "-o", result_});
  expect_refusal({"decrypt", client_, "--key", secret_, "--input", result_, "-o", workspace_("y.npy")}, kBadInput,
                 {"calibrat", "element 0 decrypts to a private value (--verbose shows it), outside ["});
  EXPECT_FALSE(std::filesystem::exists(workspace_("y.npy")));
}

TEST_F(ArtefactRefusal, MemoryBudgetsHoldForEvaluate) {
  expect_refusal(
      {"evaluate", server_, "--keys", evaluation_, "--input", ct_, "-o", workspace_("never.ct"), "--memory", "1MB"},
      kBadInput, {"--memory 977 KiB", "allow more"});
  expect_refusal(
      {"evaluate", server_, "--keys", evaluation_, "--input", ct_, "-o", workspace_("never.ct"), "--memory", "45MiB"},
      kBadInput,
      {"keys, ciphertexts, transforms and the largest weights of model 'm.onnx' need", "budget is 45.0 MiB",
       "(--memory)"});
  expect_refusal({"keygen", client_, "--secret", workspace_("never"), "--evaluation", workspace_("never.keys"),
                  "--memory", "45MiB"},
                 kBadInput,
                 {"making the keys of model 'm.onnx' one at a time needs", "budget is 45.0 MiB", "(--memory)"});
  EXPECT_FALSE(std::filesystem::exists(workspace_("never")));
}

}  // namespace
}  // namespace tacit::test
