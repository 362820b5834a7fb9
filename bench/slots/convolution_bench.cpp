#include "bench/slots/convolution_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/parallel.h"
#include "base/process_memory.h"
#include "graph/compile.h"
#include "graph/reference/run.h"
#include "graph/slots/choose_parameters.h"
#include "layout/sharding/published_rotations.h"
#include "program/slots/cost.h"
#include "program/slots/program.h"
#include "session/owner/compilation.h"
#include "session/owner/engine.h"
#include "session/owner/measurement.h"
#include "session/stopwatch.h"
#include "session/table.h"

namespace tacit::bench {
namespace {

using graph::Graph;
using graph::Tensor;
using layout::Index;
using layout::Shape;

std::vector<double> random_numbers(Index count, double size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-size, size);
  std::vector<double> result(static_cast<std::size_t>(count));
  for (double& x : result) x = number(random);
  return result;
}

Shape with_sample(const Shape& shape) {
  Shape result = shape;
  result.insert(result.begin(), 1);
  return result;
}

/// Returns a model of one convolution with a bias. Its outputs are in about [-1, 1].
Graph model_of(const ConvolutionCase& c) {
  Graph graph;
  graph.name = c.name;
  const auto tensor = [&](const std::string& name, Shape shape, std::int64_t constant) {
    graph.tensors.push_back({.name = name, .shape = std::move(shape), .constant = constant});
    return static_cast<graph::TensorId>(graph.tensors.size() - 1);
  };
  const Index fan_in = layout::element_count(c.weight) / c.weight[0];
  graph.constants.push_back(
      {c.weight, random_numbers(layout::element_count(c.weight), 1 / std::sqrt(fan_in), 1), false});
  graph.constants.push_back({{c.weight[0]}, random_numbers(c.weight[0], 0.5, 2), false});
  const graph::TensorId input = tensor("image", with_sample(c.in), -1), weight = tensor("weight", c.weight, 0),
                        bias = tensor("bias", {c.weight[0]}, 1), output = tensor("maps", with_sample(c.out()), -1);
  graph.nodes.push_back({"Conv", c.name, {input, weight, bias}, {output}, {}});
  graph.nodes[0].attributes = {{"strides", Shape{c.stride, c.stride}},
                               {"pads", Shape(4, c.padding)},
                               {"kernel_shape", Shape{c.weight[2], c.weight[3]}}};
  graph.inputs = {input};
  graph.outputs = {output};
  return graph;
}

bool is_linear(const slots::Instruction& made) { return std::holds_alternative<slots::Linear>(made.operation); }

/// Returns the plan of the only linear map.
nlohmann::ordered_json plan_of(const slots::Program& program) {
  const slots::Instruction& made = *std::ranges::find_if(program.instructions, is_linear);
  nlohmann::ordered_json terms = nlohmann::json::array();
  Index rotations = 0;
  for (const slots::LinearTerm& term : std::get<slots::Linear>(made.operation).terms) {
    const params::LinearCounts steps = params::count(term.schedule.steps);
    const Index inputs = term.map.in.ciphertexts(), outputs = term.map.out.ciphertexts();
    const auto folds = static_cast<Index>(term.schedule.folds.size());
    rotations += steps.babies * inputs + (steps.giants + folds) * outputs;
    terms.push_back({{"in", term.map.in.to_string()},
                     {"out", term.map.out.to_string()},
                     {"input_ciphertexts", inputs},
                     {"output_ciphertexts", outputs},
                     {"baby_steps", steps.babies},
                     {"giant_steps", steps.giants},
                     {"folds", folds},
                     {"products", term.diagonals->products},
                     {"density", term.diagonals->density}});
  }
  return {{"level", made.level + 1}, {"rotations", rotations}, {"terms", terms}};
}

}  // namespace

Shape ConvolutionCase::out() const {
  const auto places = [&](std::size_t d) { return (in[d] + 2 * padding - weight[d + 1]) / stride + 1; };
  return {weight[0], places(1), places(2)};
}

std::vector<ConvolutionCase> convolution_cases() {
  const auto stage = [](const char* name, Index channels, Index side, double published, Index rotations) {
    const Shape in{channels, side, side}, weight{channels, channels, 3, 3};
    return ConvolutionCase{name, in, weight, 1, 1, 1.5, 0.6, published, "MetaKernel, Xeon 8369B", rotations};
  };
  const Shape image{3, 224, 224}, stem{64, 3, 7, 7};
  const layout::ChannelRotations steps{2048, 2, 8, 1};
  return {{"stem", image, stem, 2, 3, 3, 1, 4838, "384 (706 ms convolve + 8,540 + 3,390 ms slices)", 10246},
          stage("stage1", 64, 56, 88.5, 1096),
          stage("stage2", 128, 28, 89.3, 1060),
          stage("stage3", 256, 14, 101.0, 1042),
          stage("stage4", 512, 7, 149.9, 1033),
          {"pointwise", {2048, 7, 7}, {512, 2048, 1, 1}, 1, 0, 1, 0.4, 0, "", steps.replicated_by_steps()}};
}

nlohmann::ordered_json run_convolution(const ConvolutionCase& convolution, const ConvolutionBenchOptions& options,
                                       const std::function<void(const std::string&)>& show) {
  base::restart_peak_resident_bytes();
  session::Compilation compilation{{convolution.name, model_of(convolution)}, {}};
  graph::CompileOptions compile;
  compile.parameters = graph::passes::literal_for(options.log_n, {.depth = options.depth});
  compile.input_range = {-1.0, 1.0};
  compile.output_level = options.depth - 1;
  compile.costs = options.costs;
  show(convolution.name + ": plan");
  session::Stopwatch planning;
  compilation.model = graph::compile(compilation.graph, compile);
  const slots::Program& program = compilation.model.program;
  const slots::ProgramCost cost = slots::price(program, compilation.model.parameters, options.costs);
  nlohmann::ordered_json json{{"case", convolution.name},
                              {"in", convolution.in},
                              {"weight", convolution.weight},
                              {"stride", convolution.stride},
                              {"padding", convolution.padding},
                              {"parameters", compilation.model.parameters.name},
                              {"log_n", options.log_n},
                              {"threads", base::thread_limit()},
                              {"planning_seconds", planning.seconds()},
                              {"planning_peak_bytes", base::peak_resident_bytes()},
                              {"predicted_seconds", cost.seconds},
                              {"predicted_peak_bytes", cost.memory.peak()},
                              {"bar_seconds", convolution.bar_seconds},
                              {"goal_seconds", convolution.goal_seconds},
                              {"published_seconds", convolution.published_seconds},
                              {"published", convolution.published},
                              {"published_rotations", convolution.published_rotations},
                              {"plan", plan_of(program)}};
  if (options.plan_only) return json;
  show(convolution.name + ": keys and weights");
  base::restart_peak_resident_bytes();
  const auto engine = session::make_encrypted_engine(compilation, {}, base::Progress::silent());
  json["keygen_seconds"] = engine->preparation().keygen_seconds;
  json["key_bytes"] = engine->preparation().key_bytes;
  json["encode_seconds"] = engine->preparation().encode_seconds;
  const Shape in = with_sample(convolution.in);
  const std::vector<Tensor> sample{{in, random_numbers(layout::element_count(in), 1, 3), false}};
  const std::vector<double> exact = graph::reference::run(compilation.graph, sample).at(0).data;
  std::vector<double> convolve, other, whole;
  double error = 0, largest = 0;
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    show(fmt::format("{}: run {} of {}", convolution.name, repeat + 1, options.repeats));
    const session::Inference inference = engine->infer({&sample, 1});
    whole.push_back(inference.evaluate_seconds);
    double linear = 0;
    for (std::size_t i = 0; i < program.instructions.size(); ++i)
      if (is_linear(program.instructions[i])) linear += inference.instruction_seconds.at(i);
    convolve.push_back(linear);
    other.push_back(inference.evaluate_seconds - linear);
    const std::vector<double>& made = inference.outputs.at(0).at(0).data;
    for (std::size_t e = 0; e < exact.size(); ++e) {
      error = std::max(error, std::abs(made.at(e) - exact[e]));
      largest = std::max(largest, std::abs(exact[e]));
    }
  }
  const auto median = [](const std::vector<double>& times) { return session::summarise(times).median; };
  json["evaluate_seconds"] = median(whole);
  json["parts"] = {{"convolve_seconds", median(convolve)}, {"other_seconds", median(other)}};
  json["timings"] = whole;
  json["peak_bytes"] = base::peak_resident_bytes();
  json["largest_error"] = error;
  json["largest_result"] = largest;
  return json;
}

std::string convolution_bench_text(const nlohmann::ordered_json& results) {
  const auto gigabytes = [](const nlohmann::ordered_json& bytes) {
    return fmt::format("{:.2f} GB", bytes.get<double>() / 1e9);
  };
  session::Table table({"convolution", "ciphertexts", "products", "rotations", "published", "planned", "encoded",
                        "predicted", "run", "bar", "goal", "peak", "largest error"});
  std::string plans;
  for (const nlohmann::ordered_json& r : results.at("results")) {
    const nlohmann::ordered_json& plan = r.at("plan");
    std::vector<std::string> ciphertexts;
    Index products = 0;
    plans +=
        fmt::format("{}: [{}] weight [{}] stride {} padding {}, {}, from level {}\n", r.at("case").get<std::string>(),
                    fmt::join(r.at("in").get<Shape>(), ","), fmt::join(r.at("weight").get<Shape>(), ","),
                    r.at("stride").get<Index>(), r.at("padding").get<Index>(), r.at("parameters").get<std::string>(),
                    plan.at("level").get<int>());
    for (const nlohmann::ordered_json& term : plan.at("terms")) {
      ciphertexts.push_back(fmt::format("{} -> {}", term.at("input_ciphertexts").get<Index>(),
                                        term.at("output_ciphertexts").get<Index>()));
      products += term.at("products").get<Index>();
      plans += fmt::format(
          "  from {}\n    to {}\n  {} baby and {} giant steps, {} folds, {} products, density {:.2g}\n",
          term.at("in").get<std::string>(), term.at("out").get<std::string>(), term.at("baby_steps").get<Index>(),
          term.at("giant_steps").get<Index>(), term.at("folds").get<Index>(), term.at("products").get<Index>(),
          term.at("density").get<double>());
    }
    const bool ran = r.contains("evaluate_seconds");
    const auto seconds = [&](const char* key) {
      return r.contains(key) ? fmt::format("{:.2f} s", r.at(key).get<double>()) : std::string();
    };
    if (ran && r.at("published_seconds").get<double>() > 0)
      plans += fmt::format("  published: {:.1f} s ({}); here: {:.3f} s convolve, {:.3f} s all else\n",
                           r.at("published_seconds").get<double>(), r.at("published").get<std::string>(),
                           r.at("parts").at("convolve_seconds").get<double>(),
                           r.at("parts").at("other_seconds").get<double>());
    const auto published = r.at("published_rotations").get<Index>();
    table.add({r.at("case").get<std::string>(), fmt::format("{}", fmt::join(ciphertexts, ", ")),
               fmt::to_string(products), fmt::to_string(plan.at("rotations").get<Index>()),
               published > 0 ? fmt::to_string(published) : "", seconds("planning_seconds"), seconds("encode_seconds"),
               seconds("predicted_seconds"), seconds("evaluate_seconds"), seconds("bar_seconds"),
               seconds("goal_seconds"), gigabytes(r.at(ran ? "peak_bytes" : "predicted_peak_bytes")),
               ran ? fmt::format("{:.1e}", r.at("largest_error").get<double>()) : ""});
  }
  return table.text() + plans;
}

}  // namespace tacit::bench
