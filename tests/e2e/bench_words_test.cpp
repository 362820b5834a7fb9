#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

/// What benchmarks print, where it does not depend on the machine that they measure.
class BenchWords : public ::testing::Test {
 protected:
  static std::string bench(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bench");
    const CommandResult result = run_command(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }
  /// Prices whose transforms take so many nanoseconds a word and stage, on so many threads.
  std::string prices(double transform, int threads) const {
    const json costs{{"machine", "a lab"}, {"ntt_ns", transform}, {"mac_ns", 0.2}, {"key_ns", 0.5},
                     {"product_ns", 1},    {"far_ns", 1},         {"embed_ns", 1}, {"touch_ns", 1},
                     {"threads", threads}, {"cache_mib", 32}};
    return workspace_.bytes("prices.json", costs.dump());
  }
  const Workspace workspace_;
};

// A transform of 2^13 words has 13 stages: 106,496 words and stages.
TEST_F(BenchWords, TimesHaveTheUnitOfTheirSize) {
  const auto measured = [&](double transform, int threads) {
    return bench(
        {"ckks", "--filter", "NTT forward, N 2^13, 50", "--seconds", "0", "--costs", prices(transform, threads)});
  };
  // What lies in the caches has no bound by memory, and that column stays empty.
  const std::string behind = " +[0-9.]+ [mu]s +131 KB +[0-9]+ % *\n";
  EXPECT_THAT(measured(0.1, 1), ContainsRegex(" 10\\.65 us" + behind));
  EXPECT_THAT(measured(5, 1), ContainsRegex(" 532\\.48 us" + behind));
  EXPECT_THAT(measured(10, 1), ContainsRegex(" 1\\.065 ms" + behind));
  EXPECT_THAT(measured(5000, 1), ContainsRegex(" 532\\.480 ms" + behind));
  EXPECT_THAT(measured(10000, 1), ContainsRegex(" 1\\.065 s" + behind));
  EXPECT_THAT(measured(1, 1), HasSubstr("predicted: by the cost reading, on 1 thread of a lab\n"));
  EXPECT_THAT(measured(1, 2), HasSubstr("predicted: by the cost reading, on 2 threads of a lab\n"));
}

TEST_F(BenchWords, AShareOfTheBoundIsThatOfTheMedian) {
  const auto expect_shares = [](const json& results, const char* median) {
    EXPECT_FALSE(results.empty());
    for (const json& result : results) {
      const double bound = std::max(result.at("arithmetic_bound_seconds").get<double>(),
                                    result.at("memory_bound_seconds").get<double>());
      EXPECT_DOUBLE_EQ(result.at("share_of_bound").get<double>(), bound / result.at(median).get<double>());
    }
  };
  const std::vector<std::string> quickly{"--seconds", "0", "--threads", "1", "--json"};
  std::vector<std::string> ckks{"ckks", "--filter", "N 2^13, 40"}, tfhe{"tfhe", "--filter", "key switch, T1, batch 1"};
  ckks.insert(ckks.end(), quickly.begin(), quickly.end());
  tfhe.insert(tfhe.end(), quickly.begin(), quickly.end());
  expect_shares(json::parse(bench(ckks)).at("results"), "seconds");
  const json lookups = json::parse(bench(tfhe)).at("results");
  expect_shares(lookups, "seconds_each");
  EXPECT_GT(lookups.at(0).at("share_of_bound"), 0.0);
}

// Whatever the machine is: microseconds below a millisecond, and none that is rounded to nothing.
TEST_F(BenchWords, TimesOfLookupsAreInMicrosecondsBelowAMillisecond) {
  const std::regex time(" ([0-9]+\\.[0-9]{2,3}) ([mu])s");
  for (const char* filter : {"FFT, N", "key switch, T1, batch 1"}) {
    const std::string text = bench({"tfhe", "--filter", filter, "--seconds", "0", "--threads", "1"});
    int found = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), time), end; at != end; ++at, ++found) {
      const double value = std::stod((*at)[1]);
      if ((*at)[2] == "u") {
        EXPECT_GT(value, 0.01) << text;
        EXPECT_LE(value, 1000) << text;
      } else {
        EXPECT_GE(value, 1) << text;
        EXPECT_LT(value, 1000) << text;
      }
    }
    EXPECT_GE(found, 3) << text;
  }
}

// The bootstrapping key of T1 has 680 * 4 * 4 * 512 numbers of eight bytes. An FFT has no keys, and both columns stay
// empty.
TEST_F(BenchWords, KeysAreInMegabytesWhereThereAreAny) {
  const auto text = [](const std::string& filter, bool as_json) {
    std::vector<std::string> arguments{"tfhe", "--filter", filter, "--seconds", "0", "--threads", "1"};
    if (as_json) arguments.push_back("--json");
    return bench(arguments);
  };
  const std::string key_switch = "key switch, T1, batch 1";
  const json result = json::parse(text(key_switch, true)).at("results").at(0);
  EXPECT_EQ(result.at("bootstrap_key_bytes"), 680.0 * 4 * 4 * 512 * 8);
  const double bytes = result.at("key_switch_key_bytes").get<double>();
  EXPECT_GT(bytes, 1e6);
  EXPECT_THAT(text(key_switch, false),
              ContainsRegex("T1: [^\n]* % +44\\.6 +" + fmt::format("{:.1f}", bytes / 1e6) + "\n"));
  EXPECT_THAT(text("FFT, N 512", false), ContainsRegex("FFT [^\n]* [mu]s *\n"));
}

TEST_F(BenchWords, ConvolutionsAreChosenByNameAndMayBePlannedAlone) {
  const json report = json::parse(bench({"conv", "--case", "stage4", "--plan", "--json"}));
  ASSERT_EQ(report.at("results").size(), 1U);
  EXPECT_EQ(report.at("results")[0].at("plan").at("level"), 3) << "the depth without --depth";
  EXPECT_THAT(bench({"conv", "--case", "pointwise", "--plan", "--threads", "1"}), HasSubstr(", 1 threads\n"));
}

// The page holds what the table shows. The published trees have 2^20 to 2^23 leaves, on two devices each way.
TEST_F(BenchWords, TreesStandBesideThePublishedOnes) {
  const std::string page = workspace_("page.html");
  const std::string text = bench({"merkle", "--device", "cpu", "--first", "20", "--last", "20", "--smallest-group",
                                  "32", "--largest-group", "32", "--seconds", "0", "--report", page});
  EXPECT_THAT(text, ContainsRegex("cpu +1 +2\\^20 +32 .* 20 +770\\.2 / 63\\.1 ms *\n"));
  EXPECT_THAT(text, ContainsRegex("cpu +2 +2\\^20 +32 .* 5 +14 +1801\\.5 / 136\\.8 ms *\n"));
  const std::string html = read_bytes(page), mark = "id=\"data\">";
  const std::size_t begin = html.find(mark) + mark.size();
  const json told = json::parse(html.substr(begin, html.find("</script>", begin) - begin)).at("merkle");
  ASSERT_EQ(told.at("published").size(), 16U);
  const json& first = told.at("published")[0];
  EXPECT_EQ(first.at("approach"), 1);
  EXPECT_EQ(first.at("leaves"), 1 << 20);
  EXPECT_EQ(first.at("group"), 32);
  EXPECT_DOUBLE_EQ(first.at("kernel_seconds").get<double>(), 0.7702);
  EXPECT_EQ(told.at("published")[15].at("leaves"), 1 << 23);
  ASSERT_EQ(told.at("trees").size(), 2U);
  EXPECT_EQ(told.at("trees")[0].at("leaves"), 1 << 20);
}

}  // namespace
}  // namespace tacit::test
