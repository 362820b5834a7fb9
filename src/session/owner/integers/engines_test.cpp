#include "session/owner/integers/engines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/quant/compiled_for_test.h"
#include "params/tfhe_solver.h"
#include "program/integers/noise.h"
#include "program/integers/small_program_for_test.h"
#include "session/owner/compiled_network.h"
#include "session/owner/engine.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

TEST(IntegerEngine, HoldsTheKeysOfThePlan) {
  const graph::Graph graph = graph::quant::two_inputs_with_a_branch_around();
  graph::quant::CompileOptions options;
  options.bits = 4;
  options.calibration = graph::quant::samples(graph, 30, 1);
  const auto network =
      network_on_integers(compile_graph_on_integers("branches", graph, options, {}, base::Progress::silent()));
  const std::unique_ptr<Engine> engine = network->encrypted({}, base::Progress::silent(), 1);
  EXPECT_EQ(engine->preparation().key_bytes, network->plan().at("estimate").at("key_bytes"));
}

TEST(SimulatedIntegerEngine, CountsTheLookupsThatTakeTheBoxBeside) {
  constexpr std::size_t kRuns = 300;
  const graph::Graph graph = graph::quant::two_inputs_with_a_branch_around();
  graph::quant::CompileOptions options;
  options.bits = 4;
  options.log2_failure = -40;
  options.calibration = graph::quant::samples(graph, 300, 1);
  const auto network =
      network_on_integers(compile_graph_on_integers("branches", graph, options, {}, base::Progress::silent()));
  const std::unique_ptr<Engine> engine = network->simulated();
  const nlohmann::ordered_json plan = network->plan(), &instructions = plan.at("instructions");
  EXPECT_EQ(engine->neighbour_shares(), std::vector<double>(instructions.size(), 0)) << "before any run";
  const auto samples = graph::quant::samples(graph, kRuns, 2);
  EXPECT_THROW(engine->infer(samples), base::InternalError) << "a run takes one";
  for (const auto& sample : samples) EXPECT_EQ(engine->infer({&sample, 1}).outputs.size(), 1u);
  const std::vector<double> shares = engine->neighbour_shares();
  ASSERT_EQ(shares.size(), instructions.size());
  double planned = 0, found = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double lookups = kRuns * instructions[i].at("ciphertexts").get<double>(), moved = shares[i] * lookups;
    EXPECT_GE(shares[i], 0);
    EXPECT_LE(shares[i], 1);
    EXPECT_NEAR(moved, std::round(moved), 1e-6) << "a number of lookups";
    if (!instructions[i].at("rounded").get<bool>()) {
      EXPECT_EQ(shares[i], 0) << i;
    } else if (!instructions[i].at("neighbour_rate").is_null()) {
      planned += lookups * instructions[i].at("neighbour_rate").get<double>();
    }
    found += moved;
  }
  ASSERT_GT(planned, 1);
  EXPECT_GT(found, planned / 4);
  EXPECT_LT(found, planned * 4 + 10);
}

/// A part of the client's that hands tensors of these shapes on.
graph::Graph handing_on(const std::vector<graph::Shape>& shapes) {
  graph::Graph part;
  for (const graph::Shape& shape : shapes) {
    part.inputs.push_back(static_cast<graph::TensorId>(part.tensors.size()));
    part.tensors.push_back({.name = "t", .shape = shape});
  }
  part.outputs = part.inputs;
  return part;
}

/// A program whose inputs and outputs stand for whole numbers.
graph::quant::CompiledIntegers of_whole_numbers(integers::Program program) {
  graph::quant::CompiledIntegers model;
  std::vector<graph::Shape> inputs, outputs;
  for (const integers::Instruction& made : program.instructions) {
    integers::Quantiser quantiser;
    quantiser.lowest = made.lowest;
    quantiser.highest = made.highest;
    if (const auto* input = std::get_if<integers::Input>(&made.operation)) {
      model.client.inputs.push_back({input->name, made.shape, made.step, quantiser, false});
      inputs.push_back(made.shape);
    } else if (const auto* output = std::get_if<integers::Output>(&made.operation)) {
      model.client.outputs.push_back({output->name, made.shape, made.step, quantiser});
      outputs.push_back(made.shape);
    }
  }
  model.parts.before = handing_on(inputs);
  model.parts.after = handing_on(outputs);
  model.parameters = params::solve(integers::requirements(program, -64));
  model.program = std::move(program);
  return model;
}

TEST(IntegerEngine, AnswersOneSampleAtATimeAndCountsItsOwnTime) {
  const graph::quant::CompiledIntegers model = of_whole_numbers(integers::small_program());
  const Stopwatch watch;
  const std::unique_ptr<Engine> engine = make_integer_engine(model, {}, base::Progress::silent());
  const double whole = watch.seconds();
  const Preparation& prepared = engine->preparation();
  EXPECT_GT(prepared.keygen_seconds, 0);
  EXPECT_GE(prepared.encode_seconds, 0);
  EXPECT_LE(prepared.keygen_seconds + prepared.encode_seconds, whole);
  EXPECT_FALSE(engine->concurrent()) << "the parallelism lies within a run";
  const std::vector<std::vector<graph::Tensor>> samples{{graph::Tensor{{1, 3}, {3, 1, 2}, false}},
                                                        {graph::Tensor{{1, 3}, {0, 0, 3}, false}}};
  EXPECT_THROW(engine->infer(samples), base::InternalError);
  const Inference made = engine->infer({samples.data(), 1});
  ASSERT_EQ(made.outputs.size(), 1u);
  // The squares of 3 + 2 - 2 + 4 = 7 and of 3 * 2 = 6, modulo 8, are 1 and 4.
  EXPECT_EQ(made.outputs[0].at(0).data, std::vector<double>{-3});
  EXPECT_EQ(made.instruction_seconds.size(), model.program.instructions.size());
}

/// Of two numbers beside each other one lies in the middle between two boxes, so that noise decides of every lookup.
TEST(SimulatedIntegerEngine, SharesAfterOneRunAreThoseOfOneRun) {
  constexpr int kBits = 4, kStep = integers::kMessageBits - kBits - 1, kLookups = 32;
  integers::Program program{"ties", kBits, {}};
  for (const char* name : {"x", "y"})
    program.instructions.push_back({integers::Input{name}, {1, 1}, kStep, 0, 20, true, name, ""});
  for (int i = 0; i < kLookups; ++i) {
    std::vector<std::int64_t> table;
    for (std::int64_t m = 0; m < std::int64_t{1} << kBits; ++m) table.push_back((m + i) % 16);
    program.instructions.push_back({integers::Lookup{static_cast<integers::ValueId>(i % 2), {table}, {}},
                                    {1, 1},
                                    integers::kMessageBits - kBits,
                                    0,
                                    15,
                                    true,
                                    "lookup",
                                    ""});
  }
  program.instructions.push_back(
      {integers::Output{2, "z"}, {1, 1}, integers::kMessageBits - kBits, 0, 15, true, "z", ""});
  const graph::quant::CompiledIntegers model = of_whole_numbers(std::move(program));
  const integers::ClearProgram reading(model.program);
  const std::unique_ptr<Engine> engine = make_simulated_integer_engine(model, reading);
  EXPECT_TRUE(engine->concurrent());
  const std::vector<graph::Tensor> sample{graph::Tensor{{1, 1}, {4}, false}, graph::Tensor{{1, 1}, {5}, false}};
  EXPECT_EQ(engine->infer({&sample, 1}).outputs.size(), 1u);
  const std::vector<double> shares = engine->neighbour_shares();
  ASSERT_EQ(shares.size(), model.program.instructions.size());
  for (const double share : shares) EXPECT_TRUE(share == 0 || share == 1) << share;
  EXPECT_TRUE(std::ranges::find(shares, 1) != shares.end()) << "of sixteen that noise decides";
}

TEST(IntegerEngine, ReadsEveryOutput) {
  graph::quant::CompiledIntegers model;
  integers::Quantiser quantiser;
  quantiser.scale = layout::RepeatedReals(0.5);
  quantiser.lowest = -8;
  quantiser.highest = 8;
  model.client.outputs = {{"y", {1, 1}, 0, quantiser}, {"z", {1, 2}, 0, quantiser}, {"w", {1, 1}, 0, quantiser}};
  model.parts.after = handing_on({{1, 1}, {1, 2}, {1, 1}});
  const std::vector<graph::Tensor> outputs = model_outputs(model, graph::ClientRun(model.parts), {{3}, {-4, 8}, {1}});
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[0].data, std::vector<double>{1.5});
  EXPECT_EQ(outputs[1].data, (std::vector<double>{-2, 4}));
  EXPECT_EQ(outputs[2].data, std::vector<double>{0.5});
}

}  // namespace
}  // namespace tacit::session
