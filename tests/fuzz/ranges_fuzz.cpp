#include <cmath>
#include <memory>

#include "graph/compile.h"
#include "graph/passes/sketch.h"
#include "graph/quant/compile.h"
#include "graph/serialize.h"
#include "memory_file.h"
#include "mutate_bytes.h"
#include "program/integers/serialize.h"
#include "program/slots/serialize.h"
#include "session/owner/integers/ranges_file.h"
#include "session/owner/measured_ranges.h"
#include "session/owner/ranges_file.h"
#include "target.h"

namespace tacit::fuzz {
namespace {

/// A product, a function of degree one and another one behind it, of a few elements.
graph::Graph network() {
  graph::passes::Sketch s;
  graph::TensorId x = s.input({1, 3});
  x = s.node("MatMul", {x, s.constant({3, 3}, {0.5, -0.5, 0.25, 0.125, 0.5, -0.25, 0.75, 0, 0.5})}, {1, 3});
  x = s.node("Mul", {x, x}, {1, 3});
  x = s.node("MatMul", {x, s.constant({3, 2}, {1, -1, -0.5, 1, 0.25, -1})}, {1, 2});
  x = s.node("Relu", {x}, {1, 2});
  x = s.node("MatMul", {x, s.constant({2, 2}, {0.5, -0.5, 0.25, 0.5})}, {1, 2});
  x = s.node("Tanh", {x}, {1, 2});
  s.output(s.node("MatMul", {x, s.constant({2, 2}, {1, 2, -1, 1})}, {1, 2}));
  s.graph.name = "small";
  return s.graph;
}

graph::CompileOptions options() {
  graph::CompileOptions options;
  options.max_degree = options.max_value_degree = 15;
  std::vector<int> q(14, 40);
  q[0] = 50;
  options.parameters = params::CkksLiteral{
      .name = "small", .log_n = 8, .q_bits = q, .p_bits = {50, 50}, .log_scale = 40, .insecure = true};
  return options;
}

graph::CompileOptions with_samples(std::size_t count) {
  graph::CompileOptions result = options();
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i);
    result.calibration.push_back({graph::Tensor{{1, 3}, {std::sin(t), std::cos(2 * t), std::sin(3 * t + 1)}, false}});
  }
  result.keep_calibration = true;
  return result;
}

/// Trees on two features, which have grids.
graph::Graph trees() {
  using Reals = std::vector<double>;
  using Numbers = std::vector<std::int64_t>;
  graph::passes::Sketch s;
  const graph::TensorId x = s.input({1, 2});
  s.output(s.node("ai.onnx.ml.TreeEnsembleRegressor", {x}, {1, 1},
                  {{"nodes_treeids", Numbers{0, 0, 0, 0, 0}},
                   {"nodes_nodeids", Numbers{0, 1, 2, 3, 4}},
                   {"nodes_featureids", Numbers{0, 1, 0, 0, 0}},
                   {"nodes_values", Reals{0.25, -0.5, 0, 0, 0}},
                   {"nodes_modes", std::vector<std::string>{"BRANCH_LEQ", "BRANCH_LT", "LEAF", "LEAF", "LEAF"}},
                   {"nodes_truenodeids", Numbers{1, 2, 0, 0, 0}},
                   {"nodes_falsenodeids", Numbers{4, 3, 0, 0, 0}},
                   {"target_treeids", Numbers{0, 0, 0}},
                   {"target_nodeids", Numbers{2, 3, 4}},
                   {"target_ids", Numbers{0, 0, 0}},
                   {"target_weights", Reals{1, 2, -3.5}},
                   {"n_targets", std::int64_t{1}}}));
  s.graph.name = "trees";
  return s.graph;
}

graph::quant::CompileOptions on_integers() {
  graph::quant::CompileOptions options;
  options.bits = 3;
  return options;
}

/// The ranges of a network on integers.
Bytes integer_seed(const graph::Graph& network) {
  graph::quant::CompileOptions options = on_integers();
  options.keep_measurements = true;
  for (std::size_t i = 0; i < 40; ++i) {
    const double t = static_cast<double>(i);
    std::vector<double> row{std::sin(t), std::cos(2 * t), std::sin(3 * t + 1)};
    row.resize(static_cast<std::size_t>(graph::element_count(network.tensors[network.inputs[0]].shape)));
    options.calibration.push_back({graph::Tensor{network.tensors[network.inputs[0]].shape, row, false}});
  }
  return bytes_of(session::ranges_to_json(graph::quant::compile(network, options).measurements.value()));
}

void check_on_integers(const graph::quant::Measurements& read) {
  require(session::integer_ranges_from_json(session::ranges_to_json(read)) == read, "ranges read as they were written");
  graph::quant::CompileOptions measured = on_integers();
  measured.measured = std::make_shared<const graph::quant::Measurements>(read);
  const graph::Graph of_sums = network();
  const graph::quant::CompiledIntegers model =
      graph::quant::compile(read.model == graph::digest(of_sums) ? of_sums : trees(), measured);
  require(integers::to_bytes(integers::program_from_bytes(integers::to_bytes(model.program))) ==
              integers::to_bytes(model.program),
          "a compiled program survives its file");
}

}  // namespace

std::string_view target_name() { return "ranges"; }

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  for (const std::size_t samples : {std::size_t{4}, std::size_t{70}})
    all.push_back(
        bytes_of(session::ranges_to_json(graph::compile(network(), with_samples(samples)).calibration.value())));
  for (const graph::Graph& graph : {network(), trees()}) all.push_back(integer_seed(graph));
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_text(from, other, random); }

/// Ranges say the same when they are written again. A network that compiles with them gives a program that survives its
/// file, whatever they say; every other is refused.
void check(std::span<const std::uint8_t> bytes) {
  const MemoryFile file(std::as_bytes(bytes));
  if (session::scheme_of_ranges(file.path()) == Scheme::tfhe) {
    check_on_integers(session::read_integer_ranges(file.path()));
    return;
  }
  const graph::Calibration read = session::read_ranges(file.path());
  require(session::ranges_from_json(session::ranges_to_json(read)) == read, "ranges read as they were written");
  graph::CompileOptions measured = options();
  measured.measured = std::make_shared<const graph::Calibration>(read);
  const graph::CompiledModel model = graph::compile(network(), measured);
  require(slots::to_bytes(slots::program_from_bytes(slots::to_bytes(model.program))) == slots::to_bytes(model.program),
          "a compiled program survives its file");
}

}  // namespace tacit::fuzz
