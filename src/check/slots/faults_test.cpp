#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "check/slots/faults_for_test.h"
#include "check/slots/faulty_run_for_test.h"

namespace tacit::check {
namespace {

using runtime::Bench;

Tally plant(const TestNetwork& net, int rounds, Mode mode = {}) {
  Tally tally;
  const Bench bench(net.model.parameters);
  const Request request = parse_request("nn", -4);
  const auto keys = bench.keys(net.model.program);
  for (int round = 0; round < rounds; ++round) {
    FaultLibrary library(net, static_cast<unsigned>(100 + round), 1e-4);
    for (const FaultLibrary::Draw draw : FaultLibrary::all())
      if (const std::optional<Fault> fault = (library.*draw)())
        tally.add(*fault, run_with_fault(net, bench, request, &*fault, mode, keys));
  }
  return tally;
}

void expect_found(const Tally& tally, int fewest = 50) {
  EXPECT_GE(tally.planted, fewest);
  EXPECT_EQ(tally.found, tally.planted) << tally.misses;
  EXPECT_EQ(tally.named, tally.planted) << tally.misses;
  EXPECT_GE(tally.explained, 0.9 * tally.planted) << tally.misses;
  ::testing::Test::RecordProperty("planted", tally.planted);
  ::testing::Test::RecordProperty("explained", tally.explained);
}

TEST(Faults, AreFoundNamedAndExplainedInAConvolutionalNetwork) { expect_found(plant(small_convolutional(1), 10)); }
TEST(Faults, AreFoundNamedAndExplainedInAPerceptron) { expect_found(plant(small_perceptron(2), 10)); }

TEST(Faults, AreFoundNamedAndExplainedWhereBootstrapsAreFolded) {
  expect_found(plant(bootstrapped_perceptron(), 2), 14);
}
TEST(Faults, AreFoundNamedAndExplainedWhereFeatureMapsHaveGuards) {
  expect_found(plant(bootstrapped_convolutional(), 1), 7);
}
TEST(Faults, AreFoundNamedAndExplainedWhereBootstrapsAreLinear) { expect_found(plant(bootstrapped_squares(), 2), 14); }
TEST(Faults, TheirOriginIsNamedEndToEndToo) { expect_found(plant(bootstrapped_squares(), 1, {.end_to_end = true}), 6); }

// The scores are no tensor of the model: the server multiplies the matrix, the client makes labels and probabilities.
TEST(Faults, AreFoundInTheScoresOfAClassifier) {
  for (const bool one_row : {true, false}) {
    const TestNetwork net = linear_classifier(one_row);
    const Bench bench(net.model.parameters);
    const Request request = parse_request("nn", -4);
    const Report clean = run_with_fault(net, bench, request, nullptr).report;
    ASSERT_EQ(clean.operators.size(), 1u);
    EXPECT_EQ(clean.operators[0].compared, one_row ? 1 : 2);
    EXPECT_FALSE(clean.operators[0].failed) << clean.operators[0].worst_error;
    EXPECT_THAT(clean.operators[0].operators, testing::HasSubstr("LinearClassifier"));
    Tally tally;
    FaultLibrary library(net, 3, 1e-4);
    for (const auto draw : {&FaultLibrary::weight_of_one_diagonal, &FaultLibrary::bias_dropped})
      if (const std::optional<Fault> fault = (library.*draw)())
        tally.add(*fault, run_with_fault(net, bench, request, &*fault));
    expect_found(tally, 2);
  }
}

// Nothing is wrong with model and program: an input is larger than any that calibration saw, and so is what reaches the
// first bootstrap.
TEST(Faults, AValueOutsideTheRangeOfABootstrapIsNamedWithTheWayOut) {
  const TestNetwork net = bootstrapped_squares();
  const slots::Program& program = net.model.program;
  program::ValueId at = 0;
  while (!std::holds_alternative<slots::Bootstrap>(program.value(at).operation)) ++at;
  const program::ValueId fed = std::get<slots::Bootstrap>(program.value(at).operation).inputs[0];
  Fault grown{
      .name = "a large input", .expected = Cause::range, .node = program.value(at).node, .at = at, .input = net.input};
  const auto largest_fed = [&] {
    double largest = 0;
    slots::ClearProgram(program).run(
        grown.input, [&](program::ValueId id, const slots::SlotArray& slots, std::span<const program::ArrayPtr>) {
          if (id == fed)
            for (const double x : slots::unpack_period(program.value(id).layout, slots))
              largest = std::max(largest, std::abs(x));
        });
    return largest;
  };
  double largest = largest_fed();
  EXPECT_LT(largest, 1);
  for (; largest < 16; largest = largest_fed())
    for (double& x : grown.input[0]) x *= 1.02;
  const Bench bench(net.model.parameters);
  // At the other details a bootstrap's message is what its schedule says, the sine included.
  const FaultyRun run = run_with_fault(net, bench, parse_request("nn", -3), &grown);
  const OperatorResult* first = run.report.first_failure();
  ASSERT_NE(first, nullptr);
  const std::string text = failure_text(*first);
  EXPECT_EQ(first->value, run.at) << text;
  EXPECT_EQ(first->cause, Cause::range) << text;
  EXPECT_THAT(text, testing::HasSubstr(fmt::format("validate failed at {}[", grown.node)));
  EXPECT_THAT(
      text, testing::HasSubstr(fmt::format("the bootstrap of {} carries values of {} in [-1, 1], in the units of that "
                                           "interval, and reads one of size {:.3g}",
                                           grown.node, program.value(fed).node, largest)));
  EXPECT_THAT(text, testing::HasSubstr("compile with calibration data, or an input range, that covers this input"));
}

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
      alarms += run_with_fault(net, bench, request, nullptr, {}, keys).report.first_failure() ? 1 : 0;
    }
  }
  EXPECT_EQ(alarms, 0);
}

}  // namespace
}  // namespace tacit::check
