// A perceptron of many layers of tanh, far deeper than any leveled set, on ciphertexts at a secure parameter set with
// bootstraps: how many answers (the largest of three scores) agree with the exact network, the largest differences, and
// the time of one input.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "graph/passes/deep_network_for_test.h"
#include "graph/reference/run.h"
#include "program/slots/clear_program.h"
#include "program/slots/serialize.h"
#include "session/owner/compilation.h"
#include "session/owner/engine.h"
#include "session/stopwatch.h"

namespace tacit::bench {
namespace {

struct Options {
  std::string set;
  int layers = 12, inputs = 10, threads = 1, max_degree = 31;
  std::int64_t width = 8;
};

void run(const Options& asked) {
  base::set_thread_limit(asked.threads);
  session::Compilation compilation{{"deep", graph::passes::deep_perceptron(asked.layers, asked.width)}, {}};
  graph::CompileOptions options;
  options.calibration = graph::passes::deep_samples(200, asked.width, 5);
  options.max_degree = asked.max_degree;
  if (!asked.set.empty()) options.parameters = params::named_literal(asked.set);
  compilation.model = graph::compile(compilation.graph, options);
  const slots::Program& program = compilation.model.program;
  fmt::print("{}, log2(QP) {:.0f}\n{}\n", compilation.model.parameters.name,
             params::CkksParameters::check(compilation.model.parameters).log_qp(), slots::to_text(program));
  const slots::ClearProgram reading(program);
  const session::Stopwatch preparing;
  const auto engine = session::make_encrypted_engine(compilation, {}, base::Progress::silent());
  fmt::print("keys and weights: {:.1f} s\n", preparing.seconds());
  int agree = 0, agree_clear = 0;
  double worst = 0, worst_to_clear = 0, slowest = 0, sum = 0;
  const auto samples = graph::passes::deep_samples(static_cast<std::size_t>(asked.inputs), asked.width, 21);
  const auto answer = [](const std::vector<double>& scores) {
    return std::ranges::max_element(scores) - scores.begin();
  };
  for (const auto& sample : samples) {
    const session::Stopwatch inferring;
    const std::vector<double> encrypted = engine->infer({&sample, 1}).outputs.at(0).at(0).data;
    const double seconds = inferring.seconds();
    const std::vector<double> clear =
        program::from_units(compilation.model.client.outputs.at(0), reading.run(graph::numbers_of(sample)).at(0));
    const std::vector<double> exact = graph::reference::run(compilation.graph, sample).at(0).data;
    agree += answer(encrypted) == answer(exact);
    agree_clear += answer(encrypted) == answer(clear);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      worst = std::max(worst, std::abs(encrypted[i] - exact[i]));
      worst_to_clear = std::max(worst_to_clear, std::abs(encrypted[i] - clear[i]));
    }
    slowest = std::max(slowest, seconds);
    sum += seconds;
    fmt::print("{:.2f} s: encrypted {:.6f} {:.6f} {:.6f}, exact {:.6f} {:.6f} {:.6f}\n", seconds, encrypted[0],
               encrypted[1], encrypted[2], exact[0], exact[1], exact[2]);
    std::fflush(stdout);
  }
  fmt::print(
      "{} inputs: {} answers agree with the exact network, {} with the clear reading; largest difference {:.2e} "
      "and {:.2e}; {:.2f} s an input, {:.2f} s at worst\n",
      samples.size(), agree, agree_clear, worst, worst_to_clear, sum / static_cast<double>(samples.size()), slowest);
}

}  // namespace
}  // namespace tacit::bench

int main(int argc, char** argv) {
  tacit::bench::Options options;
  CLI::App app("A deep perceptron on ciphertexts with bootstraps");
  app.add_option("--set", options.set, "Parameter set; none: the compiler's choice");
  app.add_option("--layers", options.layers, "Layers of tanh")->capture_default_str();
  app.add_option("--width", options.width, "Numbers of a layer")->capture_default_str();
  app.add_option("--inputs", options.inputs, "Inputs, one after the other")->capture_default_str();
  app.add_option("--max-degree", options.max_degree, "Highest degree of a function's series")->capture_default_str();
  app.add_option("--threads", options.threads, "Threads")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    tacit::bench::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
