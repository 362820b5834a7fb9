#include "graph/slots/noise_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "base/refusal_for_test.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/recognise.h"
#include "graph/passes/sketch.h"
#include "graph/slots/lower.h"

namespace tacit::graph::passes {
namespace {

using testing::HasSubstr;

/// (x W)^2 on a small ring.
Lowered lowered_squares(const std::string& name) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId g = s.node("MatMul", {x, s.constant({2, 2}, {1, 2, 3, 4})}, {1, 2});
  s.output(s.node("Mul", {g, g}, {1, 2}));
  const Network network = fold(linearise(recognise(s.graph)));
  const ProgramNames names{"squares", {"x"}, {"y"}};
  const params::CostTable costs;
  return Lowering(network, names, costs).lower({name, 11, {50, 40, 40}, {50}, 40, true}).or_refuse();
}

CompileOptions noise_options() {
  CompileOptions options;
  options.calibration = {{{{1, 2}, {1, 2}, false}}, {{{1, 2}, {-1, 0.5}, false}}};
  return options;
}

// Noise that was noted on samples replaces the samples, but only for the same program.
TEST(NoiseSource, WhatWasNotedIsToldAgain) {
  const Lowered lowered = lowered_squares("asked");
  CompileOptions asked = noise_options();
  const std::vector<double> simulated = NoiseSource(asked, nullptr).of(lowered);
  ASSERT_EQ(simulated.size(), 1u);
  EXPECT_GT(simulated[0], 0);
  EXPECT_LT(simulated[0], 1e-3);
  Calibration record;
  EXPECT_EQ(NoiseSource(asked, &record).of(lowered), simulated);
  ASSERT_EQ(record.noise.size(), 1u);
  EXPECT_EQ(record.noise.begin()->second, simulated);
  EXPECT_EQ(record.noise.begin()->first.size(), 64u) << "a digest of 32 bytes";
  NoiseSource(asked, &record).of(lowered_squares("other"));
  EXPECT_EQ(record.noise.size(), 2u) << "another set";

  asked.calibration.clear();
  for (auto& [program, noise] : record.noise) noise[0] *= 2;
  asked.measured = std::make_shared<Calibration>(record);
  EXPECT_EQ(NoiseSource(asked, nullptr).of(lowered), std::vector<double>{2 * simulated[0]});
}

TEST(NoiseSource, WhatWasNotNotedIsRefused) {
  const Lowered lowered = lowered_squares("asked");
  CompileOptions asked = noise_options();
  Calibration record;
  NoiseSource(asked, &record).of(lowered);
  asked.calibration.clear();
  const auto said = [&](const Calibration& measured) {
    asked.measured = std::make_shared<Calibration>(measured);
    return base::refusal([&] { NoiseSource(asked, nullptr).of(lowered); });
  };
  EXPECT_EQ(said(record), base::kNotRefused);
  EXPECT_THAT(said({}), HasSubstr("the ranges do not say how much noise a program has that is considered here, on "
                                  "parameter set asked"));
  Calibration longer = record;
  longer.noise.begin()->second.push_back(1);
  EXPECT_THAT(said(longer), HasSubstr("the ranges do not say how much noise")) << "of two outputs";
  Calibration shorter = record;
  shorter.noise.begin()->second.clear();
  EXPECT_THAT(said(shorter), HasSubstr("the ranges do not say how much noise"));
}

}  // namespace
}  // namespace tacit::graph::passes
