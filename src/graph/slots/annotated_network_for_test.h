#pragma once

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "graph/compile.h"
#include "graph/passes/sketch.h"

// Small networks with meshes that a user gives, in so few slots that they are sharded as large ones are in real rings.
namespace tacit::graph::passes {

inline std::vector<double> numbers(std::int64_t count, unsigned seed, double size = 0.1) {
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
    const TensorId weight = sketch_.constant({channels, shape_[1], kernel, kernel},
                                             numbers(channels * shape_[1] * kernel * kernel, seed_++));
    const TensorId bias = sketch_.constant({channels}, numbers(channels, seed_++));
    const auto places = [&](std::int64_t extent) { return (extent + 2 * pad - kernel) / stride + 1; };
    return add("Conv", {weight, bias}, {1, channels, places(shape_[2]), places(shape_[3])},
               {{"pads", std::vector<std::int64_t>(4, pad)}, {"strides", std::vector<std::int64_t>(2, stride)}});
  }
  Chain& square() {
    const TensorId same = at_;
    return add("Mul", {same}, shape_);
  }
  Chain& relu() { return add("Relu", {}, shape_); }
  Chain& pool(const char* op = "AveragePool") {
    return add(op, {}, {1, shape_[1], shape_[2] / 2, shape_[3] / 2},
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
  unsigned samples = 0;  ///< to calibrate functions on
};

inline CompiledModel compiled(const Graph& graph, const Asked& asked) {
  CompileOptions options;
  options.parameters = params::CkksLiteral{.name = "few slots",
                                           .log_n = asked.log_n,
                                           .q_bits = {50},
                                           .p_bits = {50, 50, 50},
                                           .log_scale = 40,
                                           .insecure = true};
  if (asked.samples > 0) {
    const Shape& shape = graph.tensors[graph.inputs[0]].shape;
    for (unsigned i = 0; i < asked.samples; ++i)
      options.calibration.push_back({{shape, numbers(element_count(shape), 100 + i, 1), false}});
    options.max_degree = 7;
    options.max_error = 1;
  }
  options.parameters->q_bits.insert(options.parameters->q_bits.end(), static_cast<std::size_t>(asked.levels), 40);
  options.input_range = {-1.0, 1.0};
  options.client_before = options.client_after = false;
  options.passes = asked.passes;
  for (const std::string& text : asked.shard) options.shardings.push_back(layout::ShardAnnotation::parse(text));
  return compile(graph, options);
}

/// Layouts of the values of a node, in the order of the program.
inline std::vector<std::string> layouts_of(const CompiledModel& model, const std::string& node) {
  std::vector<std::string> result;
  for (const slots::Instruction& instruction : model.program.instructions)
    if (instruction.node == node) result.push_back(instruction.layout.to_string());
  return result;
}

/// What passes were told to say of a network.
inline std::string told(const Graph& graph, Asked asked, const std::string& pass) {
  std::string text;
  asked.passes.explain = [&](const std::string& name, const std::string& said) {
    if (name == pass) text += said;
  };
  compiled(graph, asked);
  return text;
}

}  // namespace tacit::graph::passes
