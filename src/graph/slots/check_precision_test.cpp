#include "graph/slots/check_precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/compile.h"
#include "graph/passes/deep_network_for_test.h"
#include "params/bootstrap_chain.h"

namespace tacit::graph::passes {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

TEST(CheckPrecision, TwelveDeviationsAreAShareOfTheRange) {
  EXPECT_DOUBLE_EQ(most_noise_for(0, {-1, 5}), 0.5);
  EXPECT_DOUBLE_EQ(most_noise_for(20, {-1, 5}), 0x1p-21);
  EXPECT_DOUBLE_EQ(most_noise_for(1, {-3, -3}), 0.125) << "the magnitude of an output with one value";
  EXPECT_EQ(most_noise_for(40, {0, 0}), INFINITY);
  EXPECT_EQ(most_noise_for(40, {}), INFINITY);
  EXPECT_EQ(bits_left_by(0x1p-21, {-1, 5}), 20);
  EXPECT_EQ(bits_left_by(0x1.001p-21, {-1, 5}), 19);
  EXPECT_EQ(bits_left_by(1, {-1, 5}), -1);
  EXPECT_EQ(bits_left_by(0, {-1, 5}), 1000);
}

TEST(CheckPrecision, TheOutputWithTheFewestBitsIsNamedWithTheBitsThatWouldDo) {
  program::ClientInterface client;
  client.outputs.push_back({.name = "good", .layout = {}, .program_output = 0, .noise = 0x1p-30});
  client.outputs.push_back({.name = "bad", .layout = {}, .program_output = 1, .unit = -8, .noise = 0x1p-20});
  client.outputs.push_back({.name = "poor", .layout = {}, .program_output = 2, .noise = 0x1p-20});
  const std::vector<Range> ranges{{-1, 5}, {-1, 5}, {-1, 5}};
  const auto said = [&](int bits, const std::string& set = {}) {
    return base::refusal([&] { check_precision(client, ranges, bits, set); });
  };
  EXPECT_EQ(said(16), base::kNotRefused);
  EXPECT_EQ(said(17),
            "output 'bad' cannot have 17 bits of precision (--precision): 12 deviations of its noise are 2^-13.4, and "
            "its values have a range of 6; no parameters for a network of this depth have less noise: ask for 16");
  EXPECT_THAT(said(25, "S8"), AllOf(HasSubstr("parameter set S8 has no less noise"),
                                    EndsWith("ask for 16, or leave --parameters out")));
  client.outputs[1].noise = 1;
  EXPECT_THAT(said(1), EndsWith("a shallower network has less noise"));
}

CompileOptions with_precision(std::optional<int> bits) {
  CompileOptions options;
  options.calibration = deep_samples(64, 8, 5);
  options.max_degree = 15;
  options.precision = bits;
  return options;
}

// A network that needs bootstraps gets the precise set where S8 is too noisy, and no sooner.
TEST(CheckPrecision, APreciseSetIsTakenWhereItIsAskedFor) {
  const Graph graph = deep_perceptron(9, 8);
  const std::string refusal = base::refusal([&] { compile(graph, with_precision(40)); });
  ASSERT_THAT(refusal, HasSubstr("cannot have 40 bits of precision (--precision)"));
  const int most = std::stoi(refusal.substr(refusal.rfind(' ')));
  const CompiledModel precise = compile(graph, with_precision(most));
  EXPECT_EQ(precise.parameters.log_scale, 45);
  EXPECT_TRUE(precise.parameters.bootstrap);
  const CompiledModel usual = compile(graph, with_precision(most - 5));
  EXPECT_EQ(usual.parameters.log_scale, 40);
  EXPECT_TRUE(usual.parameters.bootstrap);
}

TEST(CheckPrecision, ALeveledNetworkGetsLargerScales) {
  const Graph graph = deep_perceptron(1, 8);
  const CompiledModel free = compile(graph, with_precision({}));
  const std::string refusal = base::refusal([&] { compile(graph, with_precision(40)); });
  ASSERT_THAT(refusal, HasSubstr("cannot have 40 bits of precision"));
  const int most = std::stoi(refusal.substr(refusal.rfind(' ')));
  const CompiledModel precise = compile(graph, with_precision(most));
  EXPECT_GT(precise.parameters.log_scale, free.parameters.log_scale);
  EXPECT_GT(precise.parameters.log_scale, 40);
  EXPECT_FALSE(precise.parameters.bootstrap);
}

TEST(CheckPrecision, BitsAndSamplesAreRequired) {
  const Graph graph = deep_perceptron(1, 8);
  EXPECT_EQ(base::refusal([&] { compile(graph, with_precision(41)); }),
            "41 bits of precision (--precision): it takes 1 to 40");
  EXPECT_EQ(base::refusal([&] { compile(graph, with_precision(0)); }),
            "0 bits of precision (--precision): it takes 1 to 40");
  CompileOptions without = with_precision(8);
  without.calibration.clear();
  EXPECT_THAT(base::refusal([&] { compile(graph, without); }), HasSubstr("give calibration data"));
}

}  // namespace
}  // namespace tacit::graph::passes
