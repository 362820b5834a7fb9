#include <gtest/gtest.h>

#include <map>

#include "check/faults_for_test.h"
#include "check/faulty_run_for_test.h"

namespace tacit::check {
namespace {

using runtime::Bench;

/// How the planted faults of one network were judged.
struct Tally {
  int planted = 0, found = 0, named = 0, explained = 0;
  std::string misses;
};

Tally plant(const TestNetwork& net, int rounds) {
  Tally tally;
  const Bench bench(net.model.parameters);
  const Request request = parse_request("nn", -4);
  for (int round = 0; round < rounds; ++round) {
    FaultLibrary library(net, static_cast<unsigned>(100 + round));
    for (const FaultLibrary::Draw draw : FaultLibrary::all()) {
      const std::optional<Fault> fault = (library.*draw)();
      if (!fault) continue;
      const Report report = run_with_fault(net, bench, request, &*fault);
      ++tally.planted;
      const OperatorResult* first = report.first_failure();
      const bool named = first && first->node == fault->node;
      const bool explained = first && first->cause == fault->expected;
      tally.found += first ? 1 : 0;
      tally.named += named ? 1 : 0;
      tally.explained += explained ? 1 : 0;
      if (!named || !explained)
        tally.misses += fault->name + " at " + fault->node + ": " +
                        (first ? failure_text(*first) + ", " + name(first->cause) : std::string("not found")) + "\n";
    }
  }
  return tally;
}

void expect_found(const Tally& tally) {
  EXPECT_GE(tally.planted, 50);
  EXPECT_EQ(tally.found, tally.planted) << tally.misses;
  EXPECT_EQ(tally.named, tally.planted) << tally.misses;
  EXPECT_GE(tally.explained, 0.9 * tally.planted) << tally.misses;
  ::testing::Test::RecordProperty("planted", tally.planted);
  ::testing::Test::RecordProperty("explained", tally.explained);
}

TEST(Faults, AreFoundNamedAndExplainedInAConvolutionalNetwork) { expect_found(plant(small_convolutional(1), 10)); }
TEST(Faults, AreFoundNamedAndExplainedInAPerceptron) { expect_found(plant(small_perceptron(2), 10)); }

TEST(Faults, AHundredCleanRunsRaiseNoAlarm) {
  int alarms = 0;
  for (TestNetwork net : {small_convolutional(1), small_perceptron(2)}) {
    const Bench bench(net.model.parameters);
    const Request request = parse_request("nn", -4);
    const auto keys = bench.keys(net.model.program);
    NetworkWriter inputs(77);
    for (int run = 0; run < 50; ++run) {
      for (auto& tensor : net.input)
        for (double& x : tensor = inputs.sample(tensor.size())) x *= 0.9;
      alarms += run_with_fault(net, bench, request, nullptr, keys).first_failure() ? 1 : 0;
    }
  }
  EXPECT_EQ(alarms, 0);
}

}  // namespace
}  // namespace tacit::check
