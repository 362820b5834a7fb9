#include "session/owner/slots/range_monitor.h"

#include <gtest/gtest.h>

#include "graph/passes/deep_network_for_test.h"

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
  options.parameters = params::named_literal("S8");
  options.parameters->log_n = 11;
  options.parameters->insecure = true;
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

}  // namespace
}  // namespace tacit::session
