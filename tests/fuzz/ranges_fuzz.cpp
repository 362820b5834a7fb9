#include <cmath>
#include <memory>

#include "graph/compile.h"
#include "graph/passes/sketch.h"
#include "graph/serialize.h"
#include "memory_file.h"
#include "mutate_bytes.h"
#include "program/slots/serialize.h"
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

}  // namespace

std::string_view target_name() { return "ranges"; }

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  for (const std::size_t samples : {std::size_t{4}, std::size_t{70}})
    all.push_back(
        bytes_of(session::ranges_to_json(graph::compile(network(), with_samples(samples)).calibration.value())));
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_text(from, other, random); }

/// Ranges say the same when they are written again. A network that compiles with them gives a program that survives its
/// file, whatever they say; every other is refused.
void check(std::span<const std::uint8_t> bytes) {
  const MemoryFile file(std::as_bytes(bytes));
  const graph::Calibration read = session::read_ranges(file.path());
  require(session::ranges_from_json(session::ranges_to_json(read)) == read, "ranges read as they were written");
  graph::CompileOptions measured = options();
  measured.measured = std::make_shared<const graph::Calibration>(read);
  const graph::CompiledModel model = graph::compile(network(), measured);
  require(slots::to_bytes(slots::program_from_bytes(slots::to_bytes(model.program))) == slots::to_bytes(model.program),
          "a compiled program survives its file");
}

}  // namespace tacit::fuzz
