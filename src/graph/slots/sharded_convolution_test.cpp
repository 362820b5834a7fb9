#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "graph/compile.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"
#include "layout/sharding/published_rotations.h"
#include "program/slots/clear_program.h"
#include "program/slots/cost.h"

// With few slots, small convolutions are sharded as large ones are in real rings.
namespace tacit::graph::passes {
namespace {

struct Window {
  Shape in;  // one sample: channels, rows, columns
  std::int64_t out_channels, kernel, stride, padding, groups = 1, dilation = 1;
};

Graph model_of(const Window& w) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-0.3, 0.3);
  const auto numbers = [&](std::int64_t count) {
    std::vector<double> result(static_cast<std::size_t>(count));
    for (double& x : result) x = number(random);
    return result;
  };
  const auto places = [&](std::int64_t extent) {
    return (extent + 2 * w.padding - (w.kernel - 1) * w.dilation - 1) / w.stride + 1;
  };
  Sketch s;
  const std::int64_t read = w.in[0] / w.groups;
  const TensorId x = s.input({1, w.in[0], w.in[1], w.in[2]});
  s.output(s.node(
      "Conv",
      {x, s.constant({w.out_channels, read, w.kernel, w.kernel}, numbers(w.out_channels * read * w.kernel * w.kernel)),
       s.constant({w.out_channels}, numbers(w.out_channels))},
      {1, w.out_channels, places(w.in[1]), places(w.in[2])},
      {{"strides", std::vector<std::int64_t>{w.stride, w.stride}},
       {"dilations", std::vector<std::int64_t>{w.dilation, w.dilation}},
       {"group", w.groups},
       {"pads", std::vector<std::int64_t>(4, w.padding)}}));
  return s.graph;
}

CompiledModel compiled(const Graph& graph, int log_n) {
  CompileOptions options;
  options.parameters = params::CkksLiteral{.name = "few slots",
                                           .log_n = log_n,
                                           .q_bits = {50, 40, 40},
                                           .p_bits = {50, 50, 50},
                                           .log_scale = 40,
                                           .insecure = true};
  options.input_range = {-1.0, 1.0};
  return compile(graph, options);
}

class ShardedConvolution : public ::testing::TestWithParam<Window> {};

// The program in 64 to 256 slots, of many ciphertexts, computes the same as the program in 2^13 slots, of one each.
TEST_P(ShardedConvolution, EqualsTheUnshardedOne) {
  const Graph graph = model_of(GetParam());
  const Shape& shape = graph.tensors[graph.inputs[0]].shape;
  std::mt19937 random(6);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> image(static_cast<std::size_t>(element_count(shape)));
  for (double& x : image) x = number(random);
  const std::vector<Tensor> sample{{shape, image, false}};
  const std::vector<double> exact = reference::run(graph, sample).at(0).data;
  for (const int log_n : {7, 8, 9, 14}) {
    const CompiledModel model = compiled(graph, log_n);
    const layout::Layout& in = model.program.instructions.at(0).layout;
    EXPECT_EQ(in.ciphertexts() == 1, log_n == 14) << in.to_string();
    const std::vector<double> scaled = program::in_units(model.client.inputs.at(0).units, image);
    const std::vector<double> made =
        program::from_units(model.client.outputs.at(0), slots::ClearProgram(model.program).run({scaled}).at(0));
    ASSERT_EQ(made.size(), exact.size());
    for (std::size_t e = 0; e < exact.size(); ++e)
      EXPECT_NEAR(made[e], exact[e], 1e-9) << log_n << " " << in.to_string();
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShardedConvolution,
                         ::testing::Values(Window{{3, 24, 20}, 8, 7, 2, 3},        // a stem
                                           Window{{16, 9, 9}, 16, 3, 1, 1},        // a stage
                                           Window{{16, 12, 12}, 32, 3, 2, 1},      // to the next
                                           Window{{16, 12, 12}, 32, 1, 2, 0},      // and its shortcut
                                           Window{{16, 10, 10}, 16, 3, 1, 1, 16},  // depthwise
                                           Window{{8, 13, 11}, 8, 3, 1, 2, 2, 2},  // in groups, dilated
                                           Window{{4, 17, 19}, 5, 3, 4, 0}));      // a stride beyond the window

TEST(ShardedConvolutionPlan, RotatesLessThanPublishedMethodsAt1024Slots) {
  const CompiledModel model = compiled(model_of({{64, 7, 7}, 16, 1, 1, 0}), 11);
  const slots::ProgramCost cost = slots::price(model.program, model.parameters, {});
  EXPECT_EQ(model.program.instructions.at(0).layout.ciphertexts(), 4);
  EXPECT_LT(cost.rotations, (layout::ChannelRotations{64, 1, 4, 1}).cyclic_roll() / 4);
  EXPECT_LT(cost.rotations, (layout::ChannelRotations{64, 2, 8, 1}).replicated() / 4);
}

}  // namespace
}  // namespace tacit::graph::passes
