#include "session/owner/slots/range_monitor.h"

#include <gtest/gtest.h>

#include "graph/passes/deep_network_for_test.h"
#include "params/small_ring_for_test.h"

namespace tacit::session {
namespace {

/// Squares of affine maps, twelve times: a network without functions, whose bootstraps are in linear form.
Compilation squares() {
  graph::passes::Sketch s;
  graph::TensorId x = s.input({1, 2});
  for (int i = 0; i < 12; ++i) {
    x = s.node("MatMul", {x, s.constant({2, 2}, {0.5, 0.25, -0.25, 0.5})}, {1, 2});
    x = s.node("Mul", {x, x}, {1, 2});
    x = s.node("Add", {x, s.constant({1, 2}, {0.5, -0.75})}, {1, 2});
  }
  s.output(x);
  Compilation compilation{{"squares", s.graph}, {}, true, false};
  graph::CompileOptions options;
  options.calibration = graph::passes::deep_samples(100, 2, 5);
  options.parameters = params::insecure_on_small_ring("S8", 11);
  compilation.model = graph::compile(s.graph, options);
  return compilation;
}

TEST(RangeMonitor, SeesOperandsThatABootstrapCouldNotCarry) {
  const Compilation compilation = squares();
  const slots::ClearProgram reading(compilation.model.program);
  RangeMonitor inside(compilation, reading), outside(compilation, reading);
  const auto calibrated = graph::passes::deep_samples(100, 2, 5);
  inside.check(0, {&calibrated[7], 1});
  for (const RangeExcess& excess : inside.excesses()) EXPECT_NE(excess.op, "bootstrap") << excess.node;
  std::vector<graph::Tensor> sample = graph::passes::deep_samples(1, 2, 6)[0];
  for (double& value : sample[0].data) value = 8;
  outside.check(3, {&sample, 1});
  bool seen = false;
  for (const RangeExcess& excess : outside.excesses())
    if (excess.op == "bootstrap") {
      seen = true;
      EXPECT_EQ(excess.source, IntervalSource::calibration);
      EXPECT_EQ(excess.lowest, -1);
      EXPECT_EQ(excess.highest, 1);
      EXPECT_GT(std::abs(excess.worst), 1);
      EXPECT_EQ(excess.input, 3);
    }
  EXPECT_TRUE(seen);
}

// Both inputs of a run lie in the same ciphertext, which a number that is too large spoils as a whole.
TEST(RangeMonitor, BlamesTheInputWhoseNumbersOutgrowTheModulus) {
  graph::passes::Sketch s;
  const graph::TensorId x = s.input({1, 4});
  const graph::TensorId y = s.node("MatMul",
                                   {x, s.constant({4, 4}, {0.5, 0.25, 0.25, 0.25, 0.25, 0.5, 0.25, 0.25, 0.25, 0.25,
                                                           0.5, 0.25, 0.25, 0.25, 0.25, 0.5})},
                                   {1, 4});
  s.output(s.node("Mul", {y, y}, {1, 4}));
  Compilation compilation{{"square", s.graph}, {}, true, false};
  graph::CompileOptions options;
  options.calibration = graph::passes::deep_samples(20, 4, 5);
  options.batch = 2;
  options.parameters = params::CkksLiteral{
      .name = "small", .log_n = 8, .q_bits = {50, 40, 40, 40}, .p_bits = {50}, .log_scale = 40, .insecure = true};
  compilation.model = graph::compile(s.graph, options);
  ASSERT_EQ(compilation.model.client.batch, 2);
  const slots::ClearProgram reading(compilation.model.program);
  for (const std::size_t large : {0u, 1u}) {
    RangeMonitor monitor(compilation, reading);
    std::vector<std::vector<graph::Tensor>> samples = graph::passes::deep_samples(2, 4, 5);
    for (double& value : samples[large][0].data) value = 1e10;
    const auto found = monitor.check(10, samples);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_TRUE(found[large]);
    EXPECT_FALSE(found[1 - large]);
    bool seen = false;
    for (const RangeExcess& excess : monitor.excesses()) {
      EXPECT_EQ(excess.input, 10 + static_cast<std::int64_t>(large)) << excess.node;
      EXPECT_EQ(excess.inputs, 1) << excess.node;
      if (excess.source != IntervalSource::parameters) continue;
      seen = true;
      EXPECT_EQ(excess.lowest, -excess.highest);
      EXPECT_GT(std::abs(excess.worst), excess.highest);
    }
    EXPECT_TRUE(seen) << large;
  }
}

}  // namespace
}  // namespace tacit::session
