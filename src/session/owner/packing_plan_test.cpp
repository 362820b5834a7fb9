#include "session/owner/packing_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/refusal_for_test.h"

namespace tacit::session {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

TEST(Durations, AreReadInSecondsAndItsParts) {
  EXPECT_DOUBLE_EQ(parse_duration("0.25s"), 0.25);
  EXPECT_DOUBLE_EQ(parse_duration("0.25"), 0.25);
  EXPECT_DOUBLE_EQ(parse_duration("1.5 s"), 1.5);
  EXPECT_DOUBLE_EQ(parse_duration("200ms"), 0.2);
  EXPECT_DOUBLE_EQ(parse_duration("250  us"), 250e-6);
  for (const char* text : {"", "s", "0s", "-1s", "1 minute", "infs", "nan", "1e999s", "1s s"})
    EXPECT_THROW(parse_duration(text), base::InputError) << text;
}

TEST(Durations, AreWrittenInTheUnitThatFits) {
  EXPECT_EQ(duration_text(0), "0.00 us");
  EXPECT_EQ(duration_text(0.00025), "250.00 us");
  EXPECT_EQ(duration_text(0.001), "1.00 ms");
  EXPECT_EQ(duration_text(0.25), "250.00 ms");
  EXPECT_EQ(duration_text(1), "1.00 s");
  EXPECT_EQ(duration_text(90.5), "90.50 s");
}

TEST(Extents, LeaveOutStagesThatKeepTheTiles) {
  EXPECT_EQ(extents_text(Json{16, 64}), "16 x 64");
  EXPECT_EQ(extents_text(Json{16, 64, 64, 16}, 2), "16 x 64 > 64 x 16");
  EXPECT_EQ(extents_text(Json{16, 64, 16, 64, 64, 16}, 2), "16 x 64 > 64 x 16");
  EXPECT_EQ(extents_text(Json{16, 64, 64, 16, 16, 64}, 2), "16 x 64 > 64 x 16 > 16 x 64");
  EXPECT_EQ(extents_text(Json{16, 64, 64, 16}), "16 x 64 x 64 x 16");
  EXPECT_EQ(extents_text(Json{16, 64}, 3), "16 x 64") << "one stage holds all";
}

TEST(PackingPlan, ShowsTheBestPackings) {
  Json plan = Json::parse(R"({
    "computation": "pairs 100x32", "dims": ["row", "column"], "objective": "memory", "priced": 120, "feasible": 7,
    "exhaustive": true, "seconds": 0.25,
    "best": [{"extents": [16, 64], "hoist": 2, "change": "none", "batches": 1, "latency": 0.5, "amortised": 0.001,
              "memory": 2097152},
             {"extents": [64, 16], "hoist": 0, "change": "none", "batches": 10, "latency": 1.5, "amortised": 0.0005,
              "memory": 512}]})");
  EXPECT_EQ(
      plan_packing_text(plan),
      "pairs 100x32: 120 candidates priced (all there are) in 250.00 ms, 7 within the bounds; the best for memory\n"
      "  tile (row x column)  bits at once  change  batches    latency    an item   memory\n"
      "  16 x 64                         2    none        1  500.00 ms    1.00 ms  2.0 MiB\n"
      "  64 x 16                         0    none       10     1.50 s  500.00 us    512 B\n");
  plan["best"] = Json::array();
  plan["exhaustive"] = false;
  EXPECT_THAT(plan_packing_text(plan), HasSubstr("priced (local search) in"));
  EXPECT_THAT(plan_packing_text(plan), EndsWith("the best for memory\n  no packing keeps the bounds\n"));
}

TEST(PackingPlan, StatesTheBoundsAndTheObjectiveOfTheSearch) {
  program::SearchResult found;
  found.priced = 120;
  found.feasible = 7;
  found.exhaustive = true;
  found.seconds = 0.25;
  tensor::PackedComputation computation;
  computation.name = "pairs";
  computation.dims = {"row", "column"};
  for (const auto& [objective, name] : {std::pair{program::Objective::latency, "latency"},
                                        {program::Objective::throughput, "throughput"},
                                        {program::Objective::memory, "memory"}}) {
    program::SearchRequest request;
    request.objective = objective;
    const Json free = plan_packing_json(computation, request, found);
    EXPECT_EQ(free.at("objective"), name);
    EXPECT_TRUE(free.at("latency_bound").is_null());
    EXPECT_TRUE(free.at("memory_bound").is_null());
    request.latency = 0.5;
    request.memory = 1024;
    const Json bounded = plan_packing_json(computation, request, found);
    EXPECT_EQ(bounded.at("latency_bound"), 0.5);
    EXPECT_EQ(bounded.at("memory_bound"), 1024);
    EXPECT_EQ(bounded.at("priced"), 120);
    EXPECT_EQ(bounded.at("feasible"), 7);
    EXPECT_EQ(bounded.at("exhaustive"), true);
    EXPECT_EQ(bounded.at("seconds"), 0.25);
    EXPECT_EQ(bounded.at("computation"), "pairs");
    EXPECT_EQ(bounded.at("dims"), (Json{"row", "column"}));
    EXPECT_TRUE(bounded.at("best").empty());
  }
}

TEST(Durations, SentencesShowFiftyCharactersOfWhatIsNone) {
  const auto why = [](const std::string& text) { return base::refusal([&] { parse_duration(text); }); };
  EXPECT_EQ(why("0 ms"), "'0 ms' is no time; write one above 0 with s, ms or us, as in 0.2s");
  EXPECT_EQ(why("5 min"), "'5 min' is no time; write one above 0 with s, ms or us, as in 0.2s");
  EXPECT_EQ(why(std::string(51, 'x')),
            fmt::format("'{}' is no time; write one above 0 with s, ms or us, as in 0.2s", std::string(50, 'x')));
  EXPECT_EQ(why("1e-300 s"), base::kNotRefused);
}

TEST(Durations, EndWithTheirText) {
  EXPECT_DOUBLE_EQ(parse_duration(std::string_view("1234", 2)), 12);
  EXPECT_DOUBLE_EQ(parse_duration("200 ms"), 0.2) << "one space";
  EXPECT_DOUBLE_EQ(parse_duration("200   ms"), 0.2);
}

}  // namespace
}  // namespace tacit::session
