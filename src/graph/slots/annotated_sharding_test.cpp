#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "graph/compile.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"
#include "program/slots/clear_program.h"
#include "program/slots/cost.h"

// Meshes that a user gives, in slots so few that small networks are sharded as large ones are in real rings.
namespace tacit::graph::passes {
namespace {

using base::expect_refusal;
using layout::ShardAnnotation;
using testing::HasSubstr;

constexpr double kTolerance = 1e-9;

std::vector<double> numbers(std::int64_t count, unsigned seed, double size = 0.3) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-size, size);
  std::vector<double> result(static_cast<std::size_t>(count));
  for (double& x : result) x = number(random);
  return result;
}

/// Operators one behind another, each named by its kind and number.
class Chain {
 public:
  explicit Chain(Shape in) : shape_(std::move(in)) { at_ = sketch_.input(shape_); }

  Chain& conv(std::int64_t channels, std::int64_t kernel, std::int64_t stride = 1) {
    const std::int64_t pad = kernel / 2;
    const TensorId weight =
        sketch_.constant({channels, shape_[1], kernel, kernel}, numbers(channels * shape_[1] * kernel * kernel, seed_++));
    const TensorId bias = sketch_.constant({channels}, numbers(channels, seed_++));
    const auto places = [&](std::int64_t extent) { return (extent + 2 * pad - kernel) / stride + 1; };
    return add("Conv", {weight, bias}, {1, channels, places(shape_[2]), places(shape_[3])},
               {{"pads", std::vector<std::int64_t>(4, pad)}, {"strides", std::vector<std::int64_t>(2, stride)}});
  }
  Chain& square() {
    const TensorId same = at_;
    return add("Mul", {same}, shape_);
  }
  Chain& pool() {
    return add("AveragePool", {}, {1, shape_[1], shape_[2] / 2, shape_[3] / 2},
               {{"kernel_shape", std::vector<std::int64_t>{2, 2}}, {"strides", std::vector<std::int64_t>{2, 2}}});
  }
  Chain& global_pool() { return add("GlobalAveragePool", {}, {1, shape_[1], 1, 1}); }
  Chain& flatten() { return add("Flatten", {}, {1, element_count(shape_)}, {{"axis", std::int64_t{1}}}); }
  Chain& gemm(std::int64_t columns) {
    return add("Gemm", {sketch_.constant({shape_[1], columns}, numbers(shape_[1] * columns, seed_++))}, {1, columns});
  }
  Graph graph() {
    Graph made = sketch_.graph;
    made.outputs = {at_};
    return made;
  }

 private:
  Chain& add(const std::string& op, const std::vector<TensorId>& others, Shape shape,
             const std::map<std::string, Attribute>& attributes = {}) {
    std::vector<TensorId> inputs{at_};
    inputs.insert(inputs.end(), others.begin(), others.end());
    shape_ = std::move(shape);
    at_ = sketch_.node(op, inputs, shape_, attributes);
    return *this;
  }

  Sketch sketch_;
  Shape shape_;
  TensorId at_ = 0;
  unsigned seed_ = 1;
};

struct Asked {
  int log_n = 8;
  int levels = 3;
  std::vector<std::string> shard{};
  PassControl passes{};
};

CompiledModel compiled(const Graph& graph, const Asked& asked) {
  CompileOptions options;
  options.parameters = params::CkksLiteral{.name = "few slots",
                                           .log_n = asked.log_n,
                                           .q_bits = {50},
                                           .p_bits = {50, 50, 50},
                                           .log_scale = 40,
                                           .insecure = true};
  options.parameters->q_bits.insert(options.parameters->q_bits.end(), static_cast<std::size_t>(asked.levels), 40);
  options.input_range = {-1.0, 1.0};
  options.client_before = options.client_after = false;
  options.passes = asked.passes;
  for (const std::string& text : asked.shard) options.shardings.push_back(ShardAnnotation::parse(text));
  return compile(graph, options);
}

std::vector<double> answers(const CompiledModel& model, const std::vector<double>& image) {
  const std::vector<double> scaled = program::in_units(model.client.inputs.at(0).units, image);
  return program::from_units(model.client.outputs.at(0), slots::ClearProgram(model.program).run({scaled}).at(0));
}

/// The compiled network computes what the graph does, and what it computes without annotations in the same slots.
void expect_same_answers(const Graph& graph, const Asked& asked) {
  const Shape& shape = graph.tensors[graph.inputs[0]].shape;
  const std::vector<double> image = numbers(element_count(shape), 77, 1);
  const std::vector<double> exact = reference::run(graph, {{{shape, image, false}}}).at(0).data;
  Asked free = asked;
  free.shard.clear();
  const std::vector<double> sharded = answers(compiled(graph, asked), image);
  const std::vector<double> unsharded = answers(compiled(graph, free), image);
  ASSERT_EQ(sharded.size(), exact.size());
  for (std::size_t e = 0; e < exact.size(); ++e) {
    EXPECT_NEAR(sharded[e], exact[e], kTolerance) << e;
    EXPECT_NEAR(sharded[e], unsharded[e], kTolerance) << e;
  }
}

/// Layouts of the values of a node, in the order of the program.
std::vector<std::string> layouts_of(const CompiledModel& model, const std::string& node) {
  std::vector<std::string> result;
  for (const slots::Instruction& instruction : model.program.instructions)
    if (instruction.node == node) result.push_back(instruction.layout.to_string());
  return result;
}

TEST(AnnotatedSharding, AConvolutionRunsOnTheMeshThatItWasGiven) {
  const Graph graph = Chain({1, 8, 6, 6}).conv(16, 3).graph();
  const Asked asked{.shard = {"Conv0=x:8,y:4"}};
  const CompiledModel model = compiled(graph, asked);
  EXPECT_THAT(model.program.instructions.at(0).layout.to_string(), HasSubstr("across(d1:4/2@y)"));
  EXPECT_THAT(layouts_of(model, "Conv0").at(0), HasSubstr("across(d1:8/2@x)"));
  expect_same_answers(graph, asked);
}

}  // namespace
}  // namespace tacit::graph::passes
