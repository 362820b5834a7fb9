#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "app/command_line.h"
#include "base/byte_size.h"
#include "tests/command/model_file.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

/// What every command on files tells people, held to what it tells programs and to the files that it wrote.
class CommandWords : public ::testing::Test {
 protected:
  static std::string words(const std::vector<std::string>& arguments) {
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.status, 0) << arguments.at(0) << ": " << result.err;
    return result.out;
  }
  static json report(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    return json::parse(words(arguments));
  }
  /// The size of a file as commands print it.
  std::string size(const std::string& file) const {
    return base::byte_size_text(static_cast<double>(std::filesystem::file_size(workspace_(file))));
  }
  std::string evaluated(const std::string& output) {
    return words({"evaluate", workspace_("server.tacit"), "--keys", workspace_("e"), "--input", workspace_("x.ct"),
                  "-o", workspace_(output)});
  }
  void make_files() {
    words({"compile", model_, "--input-range", "-1,1", "-o", workspace_(".")});
    words({"keygen", client_, "--secret", workspace_("s"), "--evaluation", workspace_("e")});
    words({"encrypt", client_, "--key", workspace_("s"), "--input", x_, "-o", workspace_("x.ct")});
    evaluated("y.ct");
  }

  const Workspace workspace_;
  const std::string model_ = workspace_.bytes("m.onnx", model_bytes({.operators = {"Gemm", "Mul", "Gemm"}}));
  const std::string x_ = workspace_.array("x.npy", {2, 4}, {0.5, -0.5, 0.25, 0, 1, 0.75, -1, 0.1});
  const std::string client_ = workspace_("client.tacit");
};

TEST_F(CommandWords, OfACompilationAreThePlanAndBothFiles) {
  const std::vector<std::string> arguments{"compile", model_, "--input-range", "-1,1", "-o", workspace_("halves")};
  const std::string text = words(arguments);
  const json told = report(arguments);
  EXPECT_THAT(text, StartsWith("Plan for m.onnx\n"));
  for (const std::string half : {"server", "client"}) {
    EXPECT_EQ(told[half]["file"], workspace_("halves/" + half + ".tacit"));
    EXPECT_EQ(told[half]["bytes"], std::filesystem::file_size(workspace_("halves/" + half + ".tacit")));
    EXPECT_THAT(text, HasSubstr("\n  " + half + "  " + workspace_("halves/" + half + ".tacit") + " (" +
                                size("halves/" + half + ".tacit") + ")\n          root " +
                                told[half]["root"].get<std::string>() + "\n"));
  }
  EXPECT_FALSE(told.contains("instructions")) << "those are for plan";
  EXPECT_GT(told["seconds"]["compile"], 0);
}

TEST_F(CommandWords, OfTwoFilesByNameNameThem) {
  const std::string a = workspace_("a"), b = workspace_("b");
  const std::string text = words({"compile", model_, "--input-range", "-1,1", "--server", a, "--client", b});
  EXPECT_THAT(text, HasSubstr("\n  server  " + a + " ("));
  EXPECT_THAT(text, HasSubstr("\n  client  " + b + " ("));
  for (const char* one : {"--server", "--client"})
    EXPECT_EQ(run_command({"compile", model_, "--input-range", "-1,1", one, a}).status, app::kBadInput) << one;
}

TEST_F(CommandWords, OfKeysSayWhoKeepsWhich) {
  words({"compile", model_, "--input-range", "-1,1", "-o", workspace_(".")});
  const std::string secret = workspace_("s"), evaluation = workspace_("e"), pub = workspace_("p");
  const std::string text = words({"keygen", client_, "--secret", secret, "--evaluation", evaluation});
  EXPECT_THAT(text, MatchesRegex("  secret      " + secret + " \\(keep it; never give it to the server\\)\n" +
                                 "  evaluation  " + evaluation + " \\(" + size("e") + ", for the server\\)\n" +
                                 "              root [0-9a-f]{64}\n"));
  const std::vector<std::string> again{"keygen",   client_,   "--secret", secret, "--evaluation",
                                       evaluation, "--force", "--public", pub};
  const std::string with_public = words(again);
  EXPECT_THAT(with_public, ::testing::ContainsRegex("\n  public      " + pub + " \\(" + size("p") +
                                                    ", for whoever encrypts inputs\\)\n$"));
  const json told = report(again);
  EXPECT_EQ(told["model"], "m.onnx");
  EXPECT_EQ(told["security_bits"], 128);
  EXPECT_EQ(told["key_bytes"], std::filesystem::file_size(evaluation));
  EXPECT_EQ(told["public"], pub);
  EXPECT_EQ(told["rotation_keys"], 4);
  EXPECT_GT(told["seconds"]["keygen"], 0);
  // Roots are those of the files.
  words({"encrypt", client_, "--public-key", pub, "--input", x_, "-o", workspace_("x.ct")});
  evaluated("y.ct");
  const std::string evaluation_root = told["evaluation_root"], public_root = told["public_root"];
  words({"verify-receipt", workspace_("y.ct.receipt"), "--keys", evaluation_root});
  EXPECT_NE(evaluation_root, public_root);
  EXPECT_EQ(run_command({"verify-receipt", workspace_("y.ct.receipt"), "--keys", public_root}).status,
            app::kKeyMismatch);
}

TEST_F(CommandWords, OfCiphertextsCountThem) {
  make_files();
  const std::string root = "root [0-9a-f]{64}", y = workspace_("y.ct");
  std::vector<std::string> encrypt{"encrypt", client_, "--key", workspace_("s"),
                                   "--input", x_,      "-o",    workspace_("x.ct")};
  const std::string text = words(encrypt);
  EXPECT_THAT(text, MatchesRegex("  2 inputs encrypted to " + workspace_("x.ct") + " \\(" + size("x.ct") +
                                 "\\), [0-9]+\\.[0-9] ms each\n  " + root + "\n"));
  EXPECT_THAT(evaluated("y.ct"),
              MatchesRegex("  2 inputs evaluated to " + y + ", [0-9]+\\.[0-9]{3} s each, peak memory [0-9.]+ MiB\n  " +
                           root + ", receipt " + y + ".receipt\n"));
  // One of them.
  encrypt.insert(encrypt.end(), {"--first", "1", "--count", "1"});
  EXPECT_THAT(words(encrypt), StartsWith("  1 input encrypted to "));
  const json told = report(encrypt);
  EXPECT_EQ(told["images"], 1);
  EXPECT_EQ(told["bytes"], std::filesystem::file_size(workspace_("x.ct")));
  EXPECT_EQ(told["warnings"], json::array());
  EXPECT_THAT(evaluated("y.ct"), StartsWith("  1 input evaluated to "));
  const json done = report({"evaluate", workspace_("server.tacit"), "--keys", workspace_("e"), "--input",
                            workspace_("x.ct"), "-o", y, "--receipt", workspace_("r"), "--threads", "1"});
  EXPECT_EQ(done["images"], 1);
  EXPECT_EQ(done["threads"], 1);
  EXPECT_EQ(done["bytes"], std::filesystem::file_size(y));
  EXPECT_EQ(done["receipt"], workspace_("r"));
  EXPECT_GT(done["key_bytes"], 1 << 20);
  EXPECT_GT(done["peak_memory_bytes"], done["key_bytes"].get<double>());
}

TEST_F(CommandWords, OfADecryptionSayWhatWasNotChecked) {
  make_files();
  const std::vector<std::string> arguments{
      "decrypt", client_, "--key", workspace_("s"), "--input", workspace_("y.ct"), "-o", workspace_("y.npy")};
  const CommandResult alone = run_command(arguments);
  EXPECT_EQ(alone.out, "  x3 of 2 inputs decrypted to " + workspace_("y.npy") + "\n");
  EXPECT_THAT(alone.err, HasSubstr("was not checked; name the file that encrypt wrote with --question"));
  std::vector<std::string> asked = arguments;
  asked.insert(asked.end(), {"--question", workspace_("x.ct")});
  const CommandResult checked = run_command(asked);
  EXPECT_EQ(checked.out, alone.out);
  EXPECT_THAT(checked.err, ::testing::Not(HasSubstr("--question")));
  EXPECT_EQ(report(arguments)["question_checked"], false);
  const json told = report(asked);
  EXPECT_EQ(told["question_checked"], true);
  EXPECT_EQ(told["images"], 2);
  EXPECT_EQ(told["shown_to"], "the owner of the key");
  EXPECT_EQ(told["outputs"], json::array({{{"name", "x3"}, {"file", workspace_("y.npy")}, {"shape", {2, 4}}}}));
}

TEST_F(CommandWords, OfAReceiptSayWhatWasCheckedAndWhatNot) {
  make_files();
  const std::string receipt = workspace_("y.ct.receipt");
  EXPECT_THAT(words({"verify-receipt", receipt}),
              MatchesRegex("receipt of tacit [0-9.]+, commitment [0-9a-f]{64}\n"
                           "checked: that its fields belong together\n"
                           "not checked: the server's file of the model \\(--model\\); the keys that it was evaluated "
                           "under \\(--keys\\); the input \\(--input\\); the output \\(--output\\); who made it: it is "
                           "not signed \\(evaluate --sign\\)\n"));
  const std::vector<std::string> all{
      "verify-receipt", receipt,         "--model", workspace_("server.tacit"), "--client", client_,
      "--keys",         workspace_("e"), "--input", workspace_("x.ct"),         "--output", workspace_("y.ct")};
  EXPECT_THAT(words(all), HasSubstr("\nchecked: model, keys, input, output, model id, parameters\n"
                                    "not checked: who made it: it is not signed (evaluate --sign)\n"));
  const json told = report(all);
  EXPECT_EQ(told["checked"], json({"model", "keys", "input", "output", "model id", "parameters"}));
  EXPECT_EQ(told["not_checked"].size(), 1u);
  // A root of 64 digits stands for a file, but gives no content to read an id from.
  const std::string model_root = told["model"];
  EXPECT_EQ(report({"verify-receipt", receipt, "--model", model_root})["checked"], json::array({"model"}));
}

TEST_F(CommandWords, OfMeasuredRangesCountWhatWasMeasured) {
  const std::string model = workspace_.bytes("r.onnx", model_bytes({.operators = {"Gemm", "Relu", "Gemm"}}));
  const std::vector<std::string> arguments{"calibrate", model, "--input", x_, "-o", workspace_("ranges.json")};
  const std::string text = words(arguments);
  const json told = report(arguments);
  EXPECT_EQ(text, workspace_("ranges.json") + " (" + size("ranges.json") + "): model 'r.onnx' on 2 samples, " +
                      std::to_string(told["values"].get<int>()) + " values, 1 function fitted\n");
  EXPECT_EQ(told["samples"], 2);
  EXPECT_EQ(told["functions"], 1);
  EXPECT_EQ(told["bytes"], std::filesystem::file_size(workspace_("ranges.json")));
  EXPECT_EQ(told["file"], workspace_("ranges.json"));
}

TEST_F(CommandWords, OfMeasuredRangesForIntegersCountLookups) {
  const std::string model = workspace_.bytes("r.onnx", model_bytes({.operators = {"Gemm", "Relu", "Gemm"}}));
  const std::vector<std::string> arguments{"calibrate", model,  "--input", x_, "-o", workspace_("ranges.json"),
                                           "--scheme",  "tfhe", "--bits",  "4"};
  const std::string text = words(arguments);
  const json told = report(arguments);
  EXPECT_EQ(text, workspace_("ranges.json") + " (" + size("ranges.json") + "): model 'r.onnx' on 2 samples, " +
                      std::to_string(told["values"].get<int>()) + " values, " +
                      std::to_string(told["lookups"].get<int>()) + " lookups\n");
  EXPECT_GT(told["lookups"], 1);
  EXPECT_FALSE(told.contains("functions"));
  EXPECT_THAT(told["parameters"], ::testing::Ne(""));
}

TEST_F(CommandWords, OfARunShowEveryInputInALineOfFacts) {
  const std::string x = workspace_.array("x3.npy", {3, 4}, {0.5, -0.5, 0.25, 0, 1, 0.75, -1, 0.1, 7, 0, 0, 0}),
                    labels = workspace_.array("l.npy", {3}, {1, 0, 0});
  const std::vector<std::string> all{"run",  model_,          "--input", x,       "--labels",
                                     labels, "--input-range", "-1,1",    "--show"};
  std::vector<std::string> second = all;
  second.insert(second.end(), {"--first", "1"});
  const CommandResult two = run_command(second);
  EXPECT_EQ(two.status, 0);
  EXPECT_THAT(two.out, ::testing::ContainsRegex("^input 1   label       0   encrypted   0   plaintext   0   "
                                                "[0-9]\\.[0-9]{3} s\nPlan for m.onnx\n"));
  EXPECT_THAT(two.err, HasSubstr("input 2 drives input 'x0' to"));
  EXPECT_THAT(two.out, HasSubstr("agree with plaintext: 1 of 2\nInputs without an answer: 1\n"
                                 "Accuracy: encrypted 1.0000, plaintext 1.0000\n"));
  second.emplace_back("--simulate");
  EXPECT_THAT(words(second), StartsWith("input 1   label       0   simulated   0   plaintext   0   "));
  std::vector<std::string> last = all;
  last.insert(last.end(), {"--first", "2", "--count", "1"});
  const CommandResult none = run_command(last);
  EXPECT_EQ(none.status, app::kBadInput);
  EXPECT_THAT(none.out, HasSubstr("agree with plaintext: 0 of 1\n"));
  EXPECT_THAT(none.last_error_line(), HasSubstr("input 2 drives input 'x0' to"));
}

// Of three inputs two share the first run: times are those of an input, the worst is that of a run.
TEST_F(CommandWords, OfARunDivideItsTimesAmongItsInputs) {
  const std::string x = workspace_.array("x3.npy", {3, 4}, {0.5, -0.5, 0.25, 0, 1, 0.75, -1, 0.1, 0.7, 0, 0, 0});
  const json told = report({"run", model_, "--input", x, "--input-range", "-1,1", "--batch", "2"});
  const json& seconds = told["seconds"];
  const double mean = seconds["evaluate"], warm = seconds["evaluate_warm"], first = 3 * mean - warm;
  EXPECT_GT(first, 0);
  EXPECT_GT(warm, 0);
  EXPECT_NEAR(seconds["evaluate_worst"].get<double>(), std::max(first, warm), 1e-9);
  double measured = 0;
  for (const json& operation : told["operation_seconds"]) measured += operation["measured"].get<double>();
  EXPECT_GT(measured, 0);
  EXPECT_LE(measured, mean);
  EXPECT_FALSE(report({"run", model_, "--input", x, "--input-range", "-1,1", "--batch", "3"})["seconds"].contains(
      "evaluate_warm"))
      << "there is one run";
}

TEST_F(CommandWords, OfAnAgreementThatWasExpectedAreItsStatus) {
  const std::vector<std::string> run{"run", model_, "--input", x_, "--input-range", "-1,1", "--expect-agreement"};
  const auto status = [&](const std::string& share) {
    std::vector<std::string> arguments = run;
    arguments.push_back(share);
    return run_command(arguments).status;
  };
  for (const char* share : {"0", "1"}) EXPECT_EQ(status(share), 0) << share;
  for (const char* share : {"-0.01", "1.01", "nan"}) EXPECT_EQ(status(share), app::kBadInput) << share;
}

// Compiled halves and plans of networks on integers have words of their own.
TEST_F(CommandWords, OfIntegersAreTheSame) {
  const std::string model = workspace_.bytes("t.onnx", tree_model_bytes());
  words({"compile", model, "--scheme", "tfhe", "--input-range", "-1,1", "-o", workspace_(".")});
  words({"keygen", client_, "--secret", workspace_("s"), "--evaluation", workspace_("e")});
  const std::string text =
      words({"encrypt", client_, "--key", workspace_("s"), "--input", x_, "-o", workspace_("x.ct")});
  EXPECT_THAT(text, StartsWith("  2 inputs encrypted to " + workspace_("x.ct") + " (" + size("x.ct") + "), "));
  EXPECT_THAT(evaluated("y.ct"), StartsWith("  2 inputs evaluated to " + workspace_("y.ct") + ", "));
  EXPECT_THAT(words({"decrypt", client_, "--key", workspace_("s"), "--input", workspace_("y.ct"), "--question",
                     workspace_("x.ct"), "-o", workspace_("y.npy")}),
              MatchesRegex("  [a-z]+ of 2 inputs decrypted to " + workspace_("y.npy") + "\n"));
  EXPECT_THAT(
      words({"verify-receipt", workspace_("y.ct.receipt"), "--client", client_, "--model", workspace_("server.tacit")}),
      HasSubstr("\nchecked: model, model id, parameters\n"));
}

// On one thread nothing runs beside anything else, so that no time is told twice.
TEST_F(CommandWords, OfARunTellTimesThatAddUpToNoMoreThanItTook) {
  constexpr int kInputs = 40;
  std::vector<double> values;
  for (int i = 0; i < 4 * kInputs; ++i) values.push_back(static_cast<double>(i % 17) / 17 - 0.5);
  const std::string x = workspace_.array("many.npy", {kInputs, 4}, values);
  const auto begin = std::chrono::steady_clock::now();
  const json told =
      report({"run", model_, "--input", x, "--input-range", "-1,1", "--batch", "1", "--threads", "1"})["seconds"];
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double told_in_all = 0;
  for (const char* once : {"compile", "keygen", "encode"}) told_in_all += told[once].get<double>();
  for (const char* each : {"encrypt", "evaluate", "decrypt"}) {
    EXPECT_GT(told[each], 0) << each;
    told_in_all += kInputs * told[each].get<double>();
  }
  EXPECT_LE(told_in_all, took);
}

TEST_F(CommandWords, OfMeasuredTreesAreTheirSizesRoundsAndTimes) {
  std::vector<std::string> arguments{"bench",     "merkle", "--device",         "cpu", "--first",         "12",
                                     "--last",    "12",     "--smallest-group", "8",   "--largest-group", "8",
                                     "--repeats", "1",      "--seconds",        "0"};
  const std::string text = words(arguments);
  // Level by level a tree takes as many rounds as it has levels.
  const std::regex row("cpu +1 +2\\^12 +8 +([0-9.]+) ms +[0-9.]+ ms +([0-9.]+) us +12 *\n");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(text, found, row)) << text;
  // What is printed is rounded: to a tenth of a millisecond, and to a hundredth of a microsecond for 4095 hashes.
  EXPECT_NEAR(std::stod(found[1]), std::stod(found[2]) * 4095 / 1e3, 0.05 + 0.005 * 4.095 + 1e-9);
  EXPECT_THAT(text, HasSubstr("merge, variant C, of many"));
  EXPECT_THAT(text, HasSubstr("published: work-groups of 32, Xeon Platinum 8358 with 64 cores / Tesla V100"));
  arguments[5] = "13";
  EXPECT_EQ(run_command(arguments).status, app::kBadInput) << "the first is above the last";
  arguments[5] = "12";
  arguments[9] = "3";
  EXPECT_EQ(run_command(arguments).status, app::kBadInput) << "no power of two";
}

// A polynomial in and one out are 131 KB at N = 2^13. Two sums of four products read twelve and write two.
TEST_F(CommandWords, OfMeasuredOperationsHaveTheirUnits) {
  const auto measured = [](const std::string& filter) {
    return words({"bench", "ckks", "--filter", filter, "--seconds", "0"});
  };
  EXPECT_THAT(measured("NTT forward, N 2^13, 50"),
              ::testing::ContainsRegex("NTT forward +N 2\\^13, 50-bit prime +1 .* us .* 131 KB +[0-9]+ %"));
  EXPECT_THAT(measured("two results, N 2^14, 50"), ::testing::ContainsRegex(" 1\\.8 MB +[0-9]+ %"));
}

TEST_F(CommandWords, OfAnEncryptionTellItsTimeAndTheRowsThatItCannotTake) {
  words({"compile", model_, "--input-range", "-1,1", "-o", workspace_(".")});
  words({"keygen", client_, "--secret", workspace_("s"), "--evaluation", workspace_("e")});
  const std::string far = workspace_.array("far.npy", {2, 4}, {0.5, 0, 0, 0, 9, 0, 0, 0});
  const auto encrypt = [&](const std::string& input) {
    return run_command({"encrypt", client_, "--key", workspace_("s"), "--input", input, "-o", workspace_("x.ct")});
  };
  EXPECT_THAT(encrypt(x_).out, ::testing::Not(HasSubstr(" 0.0 ms each"))) << "noise and transforms take longer";
  EXPECT_THAT(encrypt(far).last_error_line(), StartsWith("tacit: " + far + ", row 1: "));
  words({"compile", model_, "--input-range", "-1,1", "--batch", "2", "-o", workspace_(".")});
  words({"keygen", client_, "--secret", workspace_("s"), "--evaluation", workspace_("e"), "--force"});
  EXPECT_THAT(encrypt(far).last_error_line(), StartsWith("tacit: " + far + ", rows from 0 on: "));
}

// Sixty-four digits are a root, unless there is a file of this name.
TEST_F(CommandWords, OfAReceiptTakeFilesOfAnyName) {
  make_files();
  for (const char letter : {'k', '0'}) {
    const std::string name(64, letter);
    std::filesystem::copy_file(workspace_("e"), workspace_(name));
    const CommandResult checked =
        run_command({"verify-receipt", workspace_("y.ct.receipt"), "--keys", name}, workspace_("."));
    EXPECT_EQ(checked.status, 0) << checked.err;
    EXPECT_THAT(checked.out, HasSubstr("\nchecked: keys\n"));
  }
  EXPECT_EQ(run_command({"verify-receipt", workspace_("y.ct.receipt"), "--keys", std::string(64, '1')}).status, 3);
  EXPECT_EQ(run_command({"verify-receipt", workspace_("y.ct.receipt"), "--keys", std::string(63, '0')}).status, 2);
  EXPECT_EQ(run_command({"verify-receipt", workspace_("y.ct.receipt"), "--keys", "beef"}).status, 2);
}

// Of T1: 680 products of 4 by 4 polynomials of 512 doubles, and 1536 times six rows of 704 words of 32 bits.
TEST_F(CommandWords, OfMeasuredLookupsAreTheirTimesAndKeys) {
  const auto measured = [](const std::string& filter) {
    return words({"bench", "tfhe", "--filter", filter, "--seconds", "0", "--threads", "1"});
  };
  EXPECT_THAT(measured("FFT, N 256"),
              ::testing::ContainsRegex("FFT there and back, one product +N 256 +1 +1( +[0-9]+\\.[0-9]{2} us){3} *\n"));
  EXPECT_THAT(
      measured("bootstrap, T1, batch 1"),
      ::testing::ContainsRegex("\n  bootstrap +T1: 1 bits, n 680, k 3, N 512 +1 +1( +[0-9]+\\.[0-9]{2,3} [mu]s){4,5} "
                               "+[0-9]+ % +44\\.6 +26\\.0\n"));
}

// One file behind an option is one: what follows it is the network.
TEST_F(CommandWords, MayNameTheNetworkBehindTheInputs) {
  EXPECT_EQ(report({"run", "--input-range", "-1,1", "--simulate", "--input", x_, model_})["images"], 2);
  EXPECT_EQ(report({"calibrate", "-o", workspace_("ranges.json"), "--input", x_, model_})["samples"], 2);
  EXPECT_EQ(report({"plan", "--input-range", "-1,1", "--calibrate", x_, model_})["model"], "m.onnx");
}

// Scripts go by the numbers.
TEST_F(CommandWords, EndWithTheStatusesThatAreWrittenDown) {
  make_files();
  EXPECT_EQ(run_command({"run", model_}).status, 2);
  words({"keygen", client_, "--secret", workspace_("s2"), "--evaluation", workspace_("e2")});
  EXPECT_EQ(run_command({"evaluate", workspace_("server.tacit"), "--keys", workspace_("e2"), "--input",
                         workspace_("x.ct"), "-o", workspace_("z.ct")})
                .status,
            3);
  const std::string x = workspace_.array("far.npy", {2, 4}, {0.5, 0, 0, 0, 9, 0, 0, 0});
  EXPECT_EQ(run_command({"run", model_, "--input", x, "--input-range", "-1,1", "--simulate", "--expect-agreement", "1"})
                .status,
            4);
}

}  // namespace
}  // namespace tacit::test
