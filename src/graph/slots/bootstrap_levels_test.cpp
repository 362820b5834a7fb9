#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "graph/passes/calibrate.h"
#include "graph/passes/deep_network_for_test.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/normalise.h"
#include "graph/passes/recognise.h"
#include "graph/slots/lower.h"
#include "params/bootstrap_schedule.h"
#include "params/small_ring_for_test.h"
#include "program/slots/operation_prices.h"

// The levels at which the bootstraps of a lowered network end.
namespace tacit::graph::passes {
namespace {

constexpr std::int64_t kFourWide = 4;

/// A chain of tangents, by series of these degrees, in layers of these widths.
Network tangents_of(const std::vector<int>& degrees, const std::vector<std::int64_t>& widths) {
  Network network = isolate_function_inputs(fold(linearise(recognise(deep_perceptron(widths)))));
  calibrate(network, deep_samples(20, kFourWide, 5), base::Progress::silent());
  fit_functions(network, 31, 1);
  const std::vector<Function*> functions = functions_of(network);
  for (std::size_t f = 0; f < functions.size(); ++f) fit_function(*functions[f], degrees.at(f), "Tanh");
  return network;
}

/// A bootstrap: the lowest level that its readers allow, its ciphertexts, and the level at which it ends.
struct Ending {
  int wanted;
  std::int64_t ciphertexts;
  int level;
};

std::vector<Ending> endings(const Network& network, const PassControl& passes) {
  const params::CostTable costs;
  const ProgramNames names{"tangents", {"x"}, {"y"}};
  const Lowered lowered =
      Lowering(network, names, costs, nullptr, passes).lower(params::insecure_on_small_ring("S15", 11)).or_refuse();
  std::vector<Ending> result;
  for (const slots::Instruction& instruction : lowered.program.instructions)
    if (const auto* bootstrap = std::get_if<slots::Bootstrap>(&instruction.operation))
      result.push_back({std::max(instruction.level, bootstrap->schedule.chain.input), instruction.layout.ciphertexts(),
                        bootstrap->schedule.output_level});
  return result;
}

TEST(BootstrapLevels, AreTheHighestAndTheOneBelowItThatMakesAllCheapest) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S15", 11);
  const slots::OperationPrices prices(literal, params::CostTable{});
  // Layers of four, five and six levels. Narrow ones have one ciphertext, and wide ones two.
  const std::vector<int> degrees{31, 31, 7, 7, 7, 15, 15, 31, 7, 31, 15, 7, 7, 31, 31, 7};
  std::vector<std::int64_t> narrow(degrees.size() + 1, kFourWide), wide = narrow;
  for (std::size_t layer = 3; layer < wide.size(); layer += 2) wide[layer] = 2048;
  std::size_t most_wanted = 0;
  for (const auto& widths : {narrow, wide}) {
    const std::vector<Ending> found =
        endings(tangents_of(degrees, widths), {.skipped = {"place-by-price", "pair-bootstraps"}});
    ASSERT_GE(found.size(), 3u);
    std::map<int, double> seconds;  // where bootstraps end by level: of so many ciphertexts
    std::set<int> wanted, levels;
    for (const Ending& ending : found) {
      wanted.insert(ending.wanted);
      levels.insert(ending.level);
    }
    most_wanted = std::max(most_wanted, wanted.size());
    const auto price = [&](int level, std::int64_t ciphertexts) {
      return prices.bootstraps(params::plan_bootstrap(literal, {.output_level = level}), ciphertexts);
    };
    const int highest = *wanted.rbegin();
    double taken = 0, least = INFINITY;
    for (const Ending& ending : found) taken += price(ending.level, ending.ciphertexts);
    for (const int split : wanted) {
      double sum = 0;
      for (const Ending& ending : found) sum += price(ending.wanted <= split ? split : highest, ending.ciphertexts);
      least = std::min(least, sum);
    }
    EXPECT_NEAR(taken, least, 1e-9 * least);
    EXPECT_TRUE(levels.contains(highest));
    EXPECT_LE(levels.size(), 2u);
    for (const Ending& ending : found) EXPECT_EQ(ending.level, *levels.lower_bound(ending.wanted));
  }
  EXPECT_GE(most_wanted, 2u) << "bootstraps that could end at different levels";
}

TEST(BootstrapLevels, AreTheHighestOfTheSetWhereNoneIsLowered) {
  const std::vector<int> degrees{31, 31, 7, 7, 7, 15, 15, 31};
  const std::vector<std::int64_t> widths(degrees.size() + 1, kFourWide);
  const auto found =
      endings(tangents_of(degrees, widths), {.skipped = {"place-by-price", "pair-bootstraps", "lower-bootstraps"}});
  ASSERT_FALSE(found.empty());
  for (const Ending& ending : found)
    EXPECT_EQ(ending.level, params::chain_of(params::insecure_on_small_ring("S15", 11)).output);
}

}  // namespace
}  // namespace tacit::graph::passes
