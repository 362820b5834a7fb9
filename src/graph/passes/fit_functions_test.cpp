#include "graph/passes/fit_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "graph/passes/sketch.h"

namespace tacit::graph::passes {
namespace {

using approximate::Parity;

/// Returns the function of one operator on an interval.
Function on(const std::string& op, double lowest, double highest, std::vector<double> coefficients = {}) {
  Sketch s;
  const TensorId x = s.input({}), y = s.node(op, {x}, {});
  Function function;
  function.function = ScalarFunction(s.graph, std::span(s.graph.nodes).first(1), x, y);
  function.lowest = lowest;
  function.highest = highest;
  function.coefficients = std::move(coefficients);
  return function;
}

/// An input and functions of it.
Network of_functions(const std::vector<Function>& functions) {
  Network network;
  network.add({Private{}, {1, 2}, "x", "Input", {}});
  for (const Function& function : functions) {
    const std::string node = std::string("n").append(std::to_string(network.values.size()));
    network.outputs.push_back(network.add({function, {1, 2}, node, function.function.name(), {}}));
  }
  return network;
}

TEST(FitFunctions, IntervalsAreCentredWhereThatWidensThemByLessThanAThird) {
  struct Interval {
    std::string op;
    double lowest, highest, centred;  // 0: stays as it is
    Parity parity;
  };
  for (const auto& [op, lowest, highest, centred, parity] :
       {Interval{"Relu", -1, 1.6, 1.6, Parity::even}, Interval{"Relu", -1.6, 1, 1.6, Parity::even},
        Interval{"Tanh", -1.3, 0.72, 1.3, Parity::odd}, Interval{"Tanh", -1.3, 0.68, 0, Parity::none},
        Interval{"Tanh", -0.68, 1.3, 0, Parity::none}, Interval{"Abs", 0.5, 1, 0, Parity::none},
        Interval{"Abs", -1, -0.5, 0, Parity::none}, Interval{"Exp", -1, 1.2, 0, Parity::none},
        Interval{"Abs", -2, 2, 2, Parity::even}}) {
    SCOPED_TRACE(testing::Message() << op << " on " << lowest << ", " << highest);
    Network network = of_functions({on(op, lowest, highest)});
    centre_functions(network);
    const Function& function = *functions_of(network).at(0);
    EXPECT_EQ(function.parity, parity);
    EXPECT_EQ(function.lowest, centred > 0 ? -centred : lowest);
    EXPECT_EQ(function.highest, centred > 0 ? centred : highest);
  }
}

TEST(FitFunctions, ErrorsAreSharesOfTheLargestValueOnTheWholeInterval) {
  EXPECT_EQ(error_share(on("Abs", -3, 1, {0})), 1) << "the largest value is at the lowest end";
  EXPECT_EQ(error_share(on("Abs", -1, 3, {0})), 1) << "and at the highest";
  EXPECT_EQ(error_share(on("Abs", -2, 2, {1})), 0.5);
  EXPECT_EQ(error_share(on("Relu", -2, -1, {0})), 0) << "nothing of nothing";
}

TEST(FitFunctions, DescriptionsFollowTheOrderOfTheFunctions) {
  const std::vector<Approximation> done =
      describe_functions(of_functions({on("Abs", -2, 2, {1}), on("Abs", -1, 3, {1, 2, 0})}), 1);
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].node, "n1");
  EXPECT_EQ(done[0].op, "Abs");
  EXPECT_EQ(done[0].degree, 0);
  EXPECT_EQ(done[0].share, 0.5);
  EXPECT_EQ(done[0].max_error, 1);
  EXPECT_EQ(done[1].node, "n2");
  EXPECT_EQ(done[1].degree, 2);
  EXPECT_EQ(done[1].lowest, -1);
  EXPECT_EQ(done[1].highest, 3);
  EXPECT_NEAR(done[1].max_error, 2, 1e-9) << "1 + 2 u is x, which is off by 2 |x| below 0";
  EXPECT_NEAR(done[1].share, 2.0 / 3, 1e-9);
}

TEST(FitFunctions, SeriesThatAreOffByMoreThanAllowedAreRefused) {
  const auto refused = [](std::vector<double> coefficients, double most) {
    const Network network = of_functions({on("Abs", -2, 2, std::move(coefficients))});
    return base::refusal([&] { describe_functions(network, most); });
  };
  EXPECT_EQ(refused({1}, 0.5), base::kNotRefused);
  const std::string why =
      ": a jump or a very steep slope has no encrypted form; use a smoother function, a smaller range or a higher "
      "degree, or allow it with --max-polynomial-error ";
  EXPECT_EQ(
      refused({1}, 0.499),
      "node 'n1' (Abs): the polynomial of degree 0 on [-2, 2] is off by 1 where the function's largest value is 2" +
          why + "0.5");
  EXPECT_EQ(refused({1.25, 0}, 0.1),
            "node 'n1' (Abs): the polynomial of degree 1 on [-2, 2] is off by 1.25 where the function's largest value "
            "is 2" +
                why + "0.63");
}

TEST(FitFunctions, SeriesAreAsShortAsTheToleranceAllowsAndNoLongerThanAllowed) {
  Network network = of_functions({on("Tanh", -2, 2), on("Exp", -1, 1), on("Abs", -1, 1)});
  const std::vector<Approximation> done = fit_functions(network, 15, 0.1);
  ASSERT_EQ(done.size(), 3U);
  for (const std::size_t smooth : {0U, 1U}) {
    EXPECT_LE(done[smooth].share, 1.0 / 4096);
    EXPECT_LT(done[smooth].degree, 15);
    Function shorter = *functions_of(network)[smooth];
    shorter.coefficients.resize(shorter.coefficients.size() - (smooth == 0 ? 2 : 1));
    EXPECT_GT(error_share(shorter), 1.0 / 4096 / 2) << done[smooth].op;
  }
  // The terms of e^x after degree 5 add up to 4.5e-5, a 60000th of e. After degree 4 it is 5.9e-4, a 4600th.
  EXPECT_EQ(done[1].degree, 4);
  EXPECT_EQ(done[2].degree, 14) << "even, so that the last coefficient vanishes";
  EXPECT_GT(done[2].share, 1.0 / 4096);
  for (std::size_t k = 0; k < functions_of(network)[0]->coefficients.size(); k += 2)
    EXPECT_NEAR(functions_of(network)[0]->coefficients[k], 0, 1e-12) << "tanh is odd";

  Function exact = on("Exp", -1, 1);
  fit_function(exact, 15, "e", 1e-9);
  EXPECT_LE(error_share(exact), 1.02e-9);
  EXPECT_GT(error_share(exact), 1e-12);
}

TEST(FitFunctions, FunctionsThatAreNotFiniteAreRefusedByNode) {
  Network network = of_functions({on("Sqrt", -1, 1)});
  EXPECT_THAT(base::refusal([&] { fit_functions(network, 15, 0.1); }), testing::HasSubstr("node 'n1' (Sqrt)"));
}

TEST(FitFunctions, IntervalsThatCentringWidensByExactlyThatShareAreCentred) {
  struct Interval {
    double lowest, highest, centred;
  };
  // 2.6 is 1.3 times 2; an interval that ends at 0 would double.
  for (const auto& [lowest, highest, centred] : {Interval{-0.7, 1.3, 1.3}, Interval{-0.9, 0.95, 0.95},
                                                 Interval{-0.95, 0.9, 0.95}, Interval{0, 1, 0}, Interval{-1, 0, 0}}) {
    SCOPED_TRACE(testing::Message() << lowest << ", " << highest);
    Network network = of_functions({on("Tanh", lowest, highest)});
    centre_functions(network);
    const Function& function = *functions_of(network).at(0);
    EXPECT_EQ(function.parity, centred > 0 ? Parity::odd : Parity::none);
    EXPECT_EQ(function.lowest, centred > 0 ? -centred : lowest);
    EXPECT_EQ(function.highest, centred > 0 ? centred : highest);
  }
}

TEST(FitFunctions, ErrorsOfSmallFunctionsAreSharesOfTheirLargestValueToo) {
  EXPECT_EQ(error_share(on("Abs", -0.5, 0.5, {0.25})), 0.5) << "off by 1/4, where the largest value is 1/2";
  EXPECT_EQ(error_share(on("Abs", -0.125, 0.125, {0})), 1);
}

// The terms of e^x on [-a, a] after degree 4 add up to a share of e^a. It is a 4096.5th for the first a, and a 4095.5th
// for the second.
TEST(FitFunctions, AnErrorOfA4096thIsSmallEnough) {
  const auto fitted = [](double a) {
    Network network = of_functions({on("Exp", -a, a)});
    return fit_functions(network, 15, 0.1).at(0);
  };
  const Approximation four = fitted(1.0281025), five = fitted(1.0281629);
  EXPECT_EQ(four.degree, 4);
  EXPECT_NEAR(four.share, 1 / 4096.5, 1e-9);
  EXPECT_EQ(five.degree, 5);
}

}  // namespace
}  // namespace tacit::graph::passes
