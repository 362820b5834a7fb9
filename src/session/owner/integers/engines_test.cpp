#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "graph/quant/compiled_for_test.h"
#include "session/owner/compiled_network.h"
#include "session/owner/engine.h"

namespace tacit::session {
namespace {

TEST(IntegerEngine, HoldsTheKeysOfThePlan) {
  const graph::Graph graph = graph::quant::two_inputs_with_a_branch_around();
  graph::quant::CompileOptions options;
  options.bits = 4;
  options.calibration = graph::quant::samples(graph, 30, 1);
  const auto network =
      network_on_integers(compile_graph_on_integers("branches", graph, options, {}, base::Progress::silent()));
  const std::unique_ptr<Engine> engine = network->encrypted({}, base::Progress::silent(), 1);
  EXPECT_EQ(engine->preparation().key_bytes, network->plan().at("estimate").at("key_bytes"));
}

TEST(SimulatedIntegerEngine, CountsTheLookupsThatTakeTheBoxBeside) {
  constexpr std::size_t kRuns = 300;
  const graph::Graph graph = graph::quant::two_inputs_with_a_branch_around();
  graph::quant::CompileOptions options;
  options.bits = 4;
  options.log2_failure = -40;
  options.calibration = graph::quant::samples(graph, 300, 1);
  const auto network =
      network_on_integers(compile_graph_on_integers("branches", graph, options, {}, base::Progress::silent()));
  const std::unique_ptr<Engine> engine = network->simulated();
  const nlohmann::ordered_json plan = network->plan(), &instructions = plan.at("instructions");
  EXPECT_EQ(engine->neighbour_shares(), std::vector<double>(instructions.size(), 0)) << "before any run";
  const auto samples = graph::quant::samples(graph, kRuns, 2);
  EXPECT_THROW(engine->infer(samples), base::InternalError) << "a run takes one";
  for (const auto& sample : samples) EXPECT_EQ(engine->infer({&sample, 1}).outputs.size(), 1u);
  const std::vector<double> shares = engine->neighbour_shares();
  ASSERT_EQ(shares.size(), instructions.size());
  double planned = 0, found = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double lookups = kRuns * instructions[i].at("ciphertexts").get<double>(), moved = shares[i] * lookups;
    EXPECT_GE(shares[i], 0);
    EXPECT_LE(shares[i], 1);
    EXPECT_NEAR(moved, std::round(moved), 1e-6) << "a number of lookups";
    if (!instructions[i].at("rounded").get<bool>()) {
      EXPECT_EQ(shares[i], 0) << i;
    } else if (!instructions[i].at("neighbour_rate").is_null()) {
      planned += lookups * instructions[i].at("neighbour_rate").get<double>();
    }
    found += moved;
  }
  ASSERT_GT(planned, 1);
  EXPECT_GT(found, planned / 4);
  EXPECT_LT(found, planned * 4 + 10);
}

}  // namespace
}  // namespace tacit::session
