#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/command_line.h"
#include "session/owner/npy.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr std::int64_t kRecords = 600, kDimensions = 24;

/// A store of 600 vectors with texts, its client and its server.
class SearchCommand : public ::testing::Test {
 protected:
  static std::vector<double> numbers(std::int64_t rows, double seed) {
    std::vector<double> values(static_cast<std::size_t>(rows * kDimensions));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::sin(seed + 12.9898 * static_cast<double>(i * i % 7919));
    return values;
  }
  std::string at(const std::string& name) const { return workspace_(name); }
  json succeed(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "search");
    arguments.push_back("--json");
    const CommandResult result = run_command(arguments, workspace_("."));
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }
  void refuse(std::vector<std::string> arguments, int status, const std::string& part) const {
    arguments.insert(arguments.begin(), "search");
    const CommandResult result = run_command(arguments, workspace_("."));
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.signal, 0);
    EXPECT_THAT(result.last_error_line(), HasSubstr(part));
  }
  void build() const {
    workspace_.array("vectors.npy", {kRecords, kDimensions}, vectors_);
    workspace_.array("queries.npy", {2, kDimensions}, queries_);
    std::string lines;
    for (int i = 0; i < kRecords; ++i) lines += "text of record " + std::to_string(i) + "\n";
    workspace_.bytes("texts.txt", lines);
    const json built = succeed({"build", "vectors.npy", "--normalise", "--payload", "texts.txt", "-o", "store"});
    EXPECT_EQ(built["records"], kRecords);
    EXPECT_GE(built["recall"]["at_10"], 0.9);
    succeed({"keygen", "store/client.tacit", "--secret", "my.secret", "--evaluation", "my.evaluation"});
  }
  /// The record numbers by falling cosine with a query.
  std::vector<std::int64_t> exact_order(std::size_t query) const {
    std::vector<double> cosines(kRecords);
    for (std::size_t i = 0; i < cosines.size(); ++i) {
      double dot = 0, squares = 0;
      for (std::size_t d = 0; d < kDimensions; ++d) {
        const double x = vectors_[i * kDimensions + d];
        dot += x * queries_[query * kDimensions + d];
        squares += x * x;
      }
      cosines[i] = dot / std::sqrt(squares);
    }
    std::vector<std::int64_t> order(kRecords);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) {
      return cosines[static_cast<std::size_t>(a)] > cosines[static_cast<std::size_t>(b)];
    });
    return order;
  }
  Workspace workspace_;
  const std::vector<double> vectors_ = numbers(kRecords, 0.1), queries_ = numbers(2, 7.7);
};

TEST_F(SearchCommand, FindsTheBestThenFetchesTheirTexts) {
  build();
  const json plan = succeed({"plan", "store"});
  EXPECT_EQ(plan["security_bits"], 128);
  EXPECT_THAT(plan["leakage"][1].get<std::string>(), HasSubstr("24 chosen queries give away every vector"));
  const json asked = succeed(
      {"query", "store/client.tacit", "--key", "my.secret", "--input", "queries.npy", "--top", "10", "-o", "q.ct"});
  EXPECT_EQ(asked["questions"], 2);
  EXPECT_LT(asked["bytes"], 2 * 40000);
  const json done = succeed({"evaluate", "store", "--keys", "my.evaluation", "--input", "q.ct", "-o", "a.ct"});
  EXPECT_EQ(done["version"], 1);
  const json answers = succeed({"decrypt", "store/client.tacit", "--key", "my.secret", "--question", "q.ct", "--input",
                                "a.ct", "-o", "scores.npy"});
  for (std::size_t query = 0; query < 2; ++query) {
    const auto ids = answers["answers"][query]["ids"].get<std::vector<std::int64_t>>();
    std::vector<std::int64_t> expected = exact_order(query);
    expected.resize(10);
    ASSERT_EQ(ids.size(), 10U);
    int found = 0;
    for (const std::int64_t id : ids) found += std::count(expected.begin(), expected.end(), id) == 1 ? 1 : 0;
    EXPECT_GE(found, 9);
    EXPECT_EQ(ids[0], expected[0]);
  }
  EXPECT_EQ(session::read_npy(at("scores.npy")).shape(), (std::vector<std::int64_t>{2, kRecords}));

  const std::int64_t best = answers["answers"][0]["ids"][0];
  succeed(
      {"query", "store/client.tacit", "--key", "my.secret", "--records", std::to_string(best) + ",599", "-o", "r.ct"});
  succeed({"evaluate", "store", "--keys", "my.evaluation", "--input", "r.ct", "-o", "b.ct"});
  const json texts =
      succeed({"decrypt", "store/client.tacit", "--key", "my.secret", "--question", "r.ct", "--input", "b.ct"});
  EXPECT_EQ(texts["answers"][0]["text"], "text of record " + std::to_string(best));
  EXPECT_EQ(texts["answers"][1]["text"], "text of record 599");

  const CommandResult receipt = run_command({"verify-receipt", "a.ct.receipt", "--model", "store/store.tacit", "--keys",
                                             "my.evaluation", "--input", "q.ct", "--output", "a.ct"},
                                            workspace_("."));
  EXPECT_EQ(receipt.status, 0) << receipt.err;
}

TEST_F(SearchCommand, AppendsAndDeletes) {
  build();
  workspace_.array("more.npy", {1, kDimensions}, {queries_.begin(), queries_.begin() + kDimensions});
  workspace_.bytes("more.txt", "the query itself\n");
  // Components of the query may be beyond those of the store.
  refuse({"append", "store", "more.npy", "--normalise"}, app::kBadInput, "bytes of payload, and the new ones have 0");
  std::filesystem::remove_all(at("store"));
  std::filesystem::remove(at("my.secret"));
  succeed({"build", "vectors.npy", "--normalise", "--largest-component", "1", "-o", "store"});
  succeed({"keygen", "store/client.tacit", "--secret", "my.secret", "--evaluation", "my.evaluation"});
  EXPECT_EQ(succeed({"append", "store", "more.npy", "--normalise"})["version"], 2);
  const auto best = [&] {
    succeed({"query", "store/client.tacit", "--key", "my.secret", "--input", "more.npy", "--top", "1", "-o", "q.ct"});
    succeed({"evaluate", "store", "--keys", "my.evaluation", "--input", "q.ct", "-o", "a.ct"});
    return succeed({"decrypt", "store/client.tacit", "--key", "my.secret", "--question", "q.ct", "--input",
                    "a.ct"})["answers"][0]["ids"][0]
        .get<std::int64_t>();
  };
  EXPECT_EQ(best(), kRecords);
  EXPECT_EQ(succeed({"delete", "store", std::to_string(kRecords)})["version"], 3);
  EXPECT_EQ(best(), exact_order(0)[0]);
  refuse({"delete", "store", "5000"}, app::kBadInput, "the store has no record with the id 5000; nothing was deleted");
}

TEST_F(SearchCommand, RefusesWithOneSentence) {
  build();
  refuse({"build", "vectors.npy", "-o", "other"}, app::kBadInput, "cosines need norm 1; give --normalise");
  refuse({"build", "texts.txt", "-o", "other"}, app::kBadInput, "is not a .npy file");
  refuse({"build", "vectors.npy", "--normalise", "-o", "store"}, app::kBadInput, "exists and is not empty");
  refuse({"query", "store/client.tacit", "--key", "my.secret", "--input", "queries.npy", "--top", "601", "-o", "q.ct"},
         app::kBadInput, "the best 601 records are asked for, and the store has 600; ask for 1 to 600");
  refuse({"query", "store/client.tacit", "--key", "my.secret", "-o", "q.ct"}, app::kBadInput,
         "give --input with queries");
  refuse({"query", "store/client.tacit", "--key", "my.secret", "--records", "600", "-o", "q.ct"}, app::kBadInput,
         "the store has no record with the id 600");
  refuse({"evaluate", "store", "--keys", "my.secret", "--input", "q.ct", "-o", "a.ct"}, app::kBadInput, "secret key");
  refuse({"keygen", "store/client.tacit", "--secret", "my.secret", "--evaluation", "e"}, app::kBadInput,
         "give --force");
  refuse({"keygen", "store/store.tacit", "--secret", "s", "--evaluation", "e"}, app::kBadInput,
         "it holds the index of a store where the client's part of a store is needed");
  refuse({"plan"}, app::kBadInput, "name a store, or give --records and --dimensions");
}

}  // namespace
}  // namespace tacit::test
