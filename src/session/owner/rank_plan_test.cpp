#include "session/owner/rank_plan.h"

#include <gtest/gtest.h>

namespace tacit::session {
namespace {

TEST(RankPlan, SaysWhatRanksTakeTogetherAndApart) {
  constexpr double kMiB = 1 << 20;
  const params::Interconnect network{.bits_per_second = 10e9, .latency_seconds = 20e-6};
  program::RankPlan plan;
  plan.ranks = 4;
  plan.seconds = 2.5;
  plan.waiting_seconds = 0.25;
  plan.received_bytes = 2 * kMiB;
  plan.sent_bytes = 5 * kMiB;
  plan.exchanges = 12;
  plan.rank_bytes = 100 * kMiB;
  plan.apart_seconds = 8;
  plan.bootstrap_rounds = 3;
  plan.widest_round = 5;
  plan.efficiency = 0.75;
  plan.apart_efficiency = 0.5;
  const nlohmann::ordered_json four = rank_plan_json(plan, network);
  EXPECT_EQ(four, nlohmann::ordered_json::parse(R"({"ranks": 4, "bits_per_second": 10000000000.0,
      "latency_seconds": 0.00002, "seconds": 2.5, "waiting_seconds": 0.25, "efficiency": 0.75, "apart_seconds": 8.0,
      "apart_efficiency": 0.5, "exchanges": 12, "sent_bytes": 5242880.0, "received_bytes": 2097152.0,
      "rank_bytes": 104857600.0, "bootstrap_rounds": 3, "widest_round": 5})"));
  const std::string of_four =
      "  ranks         4, one run together: 2.5 s, 0.25 s of it waiting, efficiency 0.75\n"
      "                4 runs, one on each: 8 s, efficiency 0.50\n"
      "                traffic of one run 5.0 MiB in 12 exchanges, 2.0 MiB to the rank that gets most; memory of a "
      "rank "
      "100 MiB, keys included\n";
  const std::string model =
      "  model         links of 10 Gb/s each way, 20 us once an exchange; nothing travels while ranks compute; the "
      "rank "
      "with most work decides\n";
  const std::string rounds = "  rounds        3 of bootstraps that follow on each other, the widest of 5 ciphertexts\n";
  EXPECT_EQ(rank_plans_text(nlohmann::ordered_json::array({four})), of_four + rounds + model);
  plan.ranks = 1;
  plan.bootstrap_rounds = 0;
  EXPECT_EQ(rank_plans_text(nlohmann::ordered_json::array({four, rank_plan_json(plan, network)}))
                .find("  ranks         1, one run together"),
            of_four.size());
  const std::string of_one = rank_plans_text(nlohmann::ordered_json::array({rank_plan_json(plan, network)}));
  EXPECT_EQ(of_one.find("rounds"), of_one.npos) << "without bootstraps";
}

TEST(RankPlan, OneRoundOfBootstrapsIsShown) {
  program::RankPlan plan;
  plan.ranks = 2;
  plan.bootstrap_rounds = 1;
  plan.widest_round = 1;
  const std::string text = rank_plans_text(
      nlohmann::ordered_json::array({rank_plan_json(plan, {.bits_per_second = 10e9, .latency_seconds = 20e-6})}));
  EXPECT_NE(text.find("  rounds        1 of bootstraps that follow on each other, the widest of 1 ciphertexts\n"),
            text.npos)
      << text;
}

}  // namespace
}  // namespace tacit::session
