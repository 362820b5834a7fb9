#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "graph/slots/choose_degrees.h"

// The choice of degrees, noted and restored, with its reasons.
namespace tacit::graph::passes {
namespace {

/// Exponentials of two layers, with the intervals of two samples.
Network two_exponentials() {
  Sketch s;
  TensorId x = s.input({1, 2});
  for (int layer = 0; layer < 2; ++layer)
    x = s.node("Exp", {s.node("MatMul", {x, s.constant({2, 2}, {0.25, 0.125, -0.25, 0.125})}, {1, 2})}, {1, 2});
  s.output(s.node("MatMul", {x, s.constant({2, 1}, {1, -1})}, {1, 1}));
  Network network = fold(linearise(recognise(s.graph)));
  calibrate(network, {{Tensor{{1, 2}, {1, -1}, false}}, {Tensor{{1, 2}, {-1, 0.5}, false}}}, base::Progress::silent());
  return network;
}

/// A series of this degree. It is 0 except for the slope.
std::vector<double> slope(int degree) {
  std::vector<double> coefficients(static_cast<std::size_t>(degree) + 1, 0.0);
  coefficients[1] = 0.5;
  return coefficients;
}

/// A calibration as if samples had been measured. Both functions have these first degrees, and series of these last
/// degrees.
Calibration measured(const Network& network, const std::vector<int>& first, const std::vector<int>& last) {
  Calibration calibration;
  std::size_t next = 0;
  for (const Value& value : network.values) {
    CalibratedValue noted;
    if (std::holds_alternative<Function>(value.operation)) {
      noted.function = CalibratedFunction{.interval = {}, .first_degree = first.at(next), .coefficients = {}};
      noted.function->coefficients = slope(last.at(next++));
    }
    calibration.values.push_back(noted);
  }
  return calibration;
}

TEST(NotedDegrees, HaveTheReasonsThatTheirSamplesGive) {
  Network network = two_exponentials();
  ASSERT_EQ(functions_of(network).size(), 2u);
  const auto reason = [&](int first, int last, int highest, std::size_t samples) {
    Calibration calibration = measured(network, {first, 7}, {last, 7});
    calibration.highest_degree = highest;
    calibration.samples = samples;
    CompileOptions options;
    options.max_error = 100;
    options.measured = std::make_shared<Calibration>(std::move(calibration));
    Network restored = network;
    const ChosenDegrees chosen = restore_degrees(restored, options);
    EXPECT_EQ(chosen.approximations.at(0).degree, last);
    return chosen.approximations.at(0).reason;
  };
  const std::string enough = "enough for the answers of 64 samples at 2 and 4 times its error";
  EXPECT_EQ(reason(8, 7, 31, 64), enough);
  EXPECT_EQ(reason(31, 7, 8, 64), enough);
  EXPECT_EQ(reason(7, 7, 31, 64), "within 2^-12 of the function, and no answer allows less");
  EXPECT_EQ(reason(7, 7, 9, 64), "within 2^-12 of the function, and no answer allows less");
  EXPECT_EQ(reason(7, 7, 31, 63), "within 2^-12 of the function");
  // The highest degree, or one less if parity excludes the highest.
  for (const int highest : {7, 8}) {
    EXPECT_EQ(reason(7, 7, highest, 64), "the highest allowed; answers of samples need it");
    EXPECT_EQ(reason(7, 7, highest, 63), "the highest allowed; 63 samples are too few to allow less");
  }
}

TEST(NotedDegrees, AreWhatWasRecorded) {
  Network network = two_exponentials();
  const std::vector<Function*> functions = functions_of(network);
  functions[0]->coefficients = slope(5);
  functions[1]->coefficients = slope(9);
  ChosenDegrees chosen;
  chosen.highest_degree = 21;
  chosen.changed = 0.125;
  chosen.first_degrees = {15, 9};
  CompileOptions options;
  options.max_error = 100;
  Calibration calibration = measured(network, {0, 0}, {1, 1});
  calibration.samples = 100;
  record_degrees(network, chosen, calibration);
  EXPECT_EQ(calibration.highest_degree, 21);
  EXPECT_EQ(calibration.answers_changed, 0.125);
  std::vector<int> first, last;
  for (const CalibratedValue& value : calibration.values)
    if (value.function) {
      first.push_back(value.function->first_degree);
      last.push_back(static_cast<int>(value.function->coefficients.size()) - 1);
    }
  EXPECT_EQ(first, (std::vector<int>{15, 9}));
  EXPECT_EQ(last, (std::vector<int>{5, 9}));

  options.measured = std::make_shared<Calibration>(calibration);
  Network restored = two_exponentials();
  const ChosenDegrees again = restore_degrees(restored, options);
  EXPECT_EQ(again.highest_degree, 21);
  EXPECT_EQ(again.changed, 0.125);
  EXPECT_EQ(again.first_degrees, chosen.first_degrees);
  EXPECT_TRUE(again.outputs.empty());
  for (std::size_t f = 0; f < 2; ++f)
    EXPECT_EQ(functions_of(restored)[f]->coefficients, functions[f]->coefficients) << f;
  // A series that misses its function is refused here, too.
  options.max_error = 1e-3;
  EXPECT_THAT(base::refusal([&] { restore_degrees(restored, options); }),
              testing::HasSubstr("the polynomial of degree 5 on ["));
}

TEST(NotedDegrees, SixtyFourSamplesDecideAndNoFunctionNeedsNone) {
  EXPECT_EQ(kFewestSamples, 64u);
  ChosenDegrees chosen;
  EXPECT_EQ(chosen.changed, 0);
  EXPECT_EQ(chosen.highest_degree, 0);
  EXPECT_TRUE(is_of_use(chosen));
  // A share below a 400th counts as a 400th.
  const auto price = [](double fine, double coarse) {
    ChosenDegrees by_fine, by_coarse;
    by_fine.changed = fine;
    by_coarse.changed = coarse;
    return price_of_answers(by_fine, by_coarse);
  };
  EXPECT_NEAR(price(0.0025, 0.01), 1.5625, 1e-12);
  EXPECT_NEAR(price(0.001, 0.01), 1.5625, 1e-12);
  EXPECT_NEAR(price(0.02, 0.01), 1.25, 1e-12) << "a quarter in any case";
}

}  // namespace
}  // namespace tacit::graph::passes
