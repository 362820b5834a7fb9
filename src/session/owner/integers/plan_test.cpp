#include "session/owner/integers/plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "graph/passes/sketch.h"
#include "params/tfhe_solver.h"
#include "program/integers/noise.h"
#include "program/integers/small_program_for_test.h"
#include "runtime/integers/prepared_integers.h"

namespace tacit::session {
namespace {

/// Four numbers, a Relu of three sums, and two sums.
IntegerCompilation compiled(graph::quant::Rounding rounding) {
  graph::passes::Sketch s;
  const graph::TensorId x = s.input({1, 4});
  const graph::TensorId h =
      s.node("MatMul", {x, s.constant({4, 3}, {1, -1, 0.5, 0.25, 1, -0.5, -1, 0.5, 1, 0.5, 0.5, -1})}, {1, 3});
  const graph::TensorId r = s.node("Relu", {h}, {1, 3});
  s.output(s.node("MatMul", {r, s.constant({3, 2}, {1, -1, 0.5, 1, -0.5, 0.25})}, {1, 2}));
  graph::quant::CompileOptions options;
  options.bits = 4;
  options.rounding = rounding;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int sample = 0; sample < 300; ++sample) {
    graph::Tensor input{{1, 4}, {}, false};
    for (int i = 0; i < 4; ++i) input.data.push_back(number(random));
    options.calibration.push_back({input});
  }
  return compile_graph_on_integers("relu", s.graph, options, {}, base::Progress::silent());
}

TEST(IntegerPlan, TotalsAreThoseOfItsInstructions) {
  for (const graph::quant::Rounding rounding : {graph::quant::Rounding::approximate, graph::quant::Rounding::exact}) {
    const IntegerCompilation compilation = compiled(rounding);
    const nlohmann::ordered_json plan = integer_plan_json(compilation, 1);
    std::size_t bootstraps = 0, rounding_bootstraps = 0, rounded = 0, inputs = 0, outputs = 0, lookups = 0, index = 0;
    double seconds = 0, neighbours = 0;
    for (const auto& instruction : plan.at("instructions")) {
      const std::string operation = instruction.at("operation");
      const std::size_t elements = instruction.at("ciphertexts"), made = instruction.at("bootstraps");
      EXPECT_EQ(instruction.at("index"), index++);
      EXPECT_EQ(instruction.at("dropped_bits").get<int>() > 0, operation == "round") << operation;
      EXPECT_EQ(made > 0, operation == "round" || operation == "lookup") << operation;
      EXPECT_EQ(instruction.at("tables").get<int>() > 0, operation == "lookup") << operation;
      bootstraps += made;
      seconds += instruction.at("seconds").get<double>();
      if (operation == "round") rounding_bootstraps += made;
      if (operation == "input") inputs += elements;
      if (operation == "output") outputs += elements;
      if (operation == "lookup") lookups += elements;
      if (!instruction.at("rounded").get<bool>()) continue;
      rounded += elements;
      if (!instruction.at("neighbour_rate").is_null())
        neighbours += static_cast<double>(elements) * instruction.at("neighbour_rate").get<double>();
    }
    EXPECT_EQ(inputs, 4U);
    EXPECT_EQ(outputs, 2U);
    if (rounding == graph::quant::Rounding::approximate) {
      EXPECT_EQ(lookups, 3U);
    }
    EXPECT_EQ(plan.at("ciphertexts"), inputs);
    EXPECT_EQ(plan.at("output_ciphertexts"), outputs);
    EXPECT_EQ(plan.at("lookups"), lookups);
    EXPECT_EQ(plan.at("bootstraps"), bootstraps);
    EXPECT_EQ(plan.at("rounding_bootstraps"), rounding_bootstraps);
    EXPECT_EQ(plan.at("rounded_lookups"), rounded);
    if (rounded > 0) {
      EXPECT_NEAR(plan.at("neighbour_rate").get<double>(), neighbours / static_cast<double>(rounded), 1e-12);
    } else {
      EXPECT_TRUE(plan.at("neighbour_rate").is_null());
    }
    const auto estimated = [](const nlohmann::ordered_json& of) {
      return of.at("estimate").at("seconds").get<double>();
    };
    EXPECT_GT(seconds, 0);
    EXPECT_NEAR(estimated(plan), seconds, 1e-12);
    EXPECT_EQ(planned_seconds(compilation), estimated(plan));
    EXPECT_NEAR(estimated(integer_plan_json(compilation, 4)), seconds / 4, 1e-12);
    EXPECT_EQ(integer_plan_json(compilation, 4).at("estimate").at("threads"), 4);
    params::CostTable slow;
    slow.machine = "this machine (slow)";
    slow.ntt_ns *= 3;
    EXPECT_NEAR(estimated(integer_plan_json(compilation, 2, slow)), 3 * seconds / 2, 1e-12);
    EXPECT_EQ(integer_plan_json(compilation, 2, slow).at("estimate").at("machine"), "this machine (slow)");
    EXPECT_EQ(plan.at("estimate").at("machine"), "a Zen 5 of 4.4 GHz");
  }
}

TEST(IntegerPlan, MemoryIsThatOfKeysWeightsAndCiphertexts) {
  const IntegerCompilation compilation = compiled(graph::quant::Rounding::approximate);
  const integers::Program& program = compilation.model.program;
  const params::TfheParameters parameters = params::TfheParameters::check(compilation.model.parameters);
  const nlohmann::ordered_json plan = integer_plan_json(compilation, 2), estimate = plan.at("estimate");
  EXPECT_EQ(estimate.at("key_bytes"), parameters.bootstrap_key_bytes() + parameters.key_switch_key_bytes());
  EXPECT_GT(runtime::weight_bytes(program), 0);
  EXPECT_EQ(estimate.at("weight_bytes"), runtime::table_bytes(program, parameters) + runtime::weight_bytes(program));
  EXPECT_EQ(estimate.at("ciphertext_bytes"), runtime::value_bytes(program, parameters));
  EXPECT_EQ(estimate.at("memory_bytes"), estimate.at("key_bytes").get<double>() +
                                             estimate.at("weight_bytes").get<double>() +
                                             estimate.at("ciphertext_bytes").get<double>());
  EXPECT_EQ(estimate.at("run_seconds"), estimate.at("seconds"));
  EXPECT_EQ(plan.at("model"), "relu");
  EXPECT_EQ(plan.at("scheme"), "tfhe");
  EXPECT_EQ(plan.at("batch"), 1);
  EXPECT_EQ(plan.at("bits"), program.bits);
  EXPECT_EQ(plan.at("tables_together"), std::int64_t{1} << program.log_tables);
  EXPECT_EQ(plan.at("security_bits"), parameters.security_bits());
  EXPECT_EQ(plan.at("log2_failure"), parameters.literal().log2_failure);
}

// One bit of two sums is rounded off, by a bootstrap each.
TEST(IntegerPlan, CountsTheBootstrapsThatRoundASingleBit) {
  constexpr int kBits = 4, kStep = integers::kMessageBits - kBits - 1;
  IntegerCompilation compilation;
  integers::Program& program = compilation.model.program = integers::rounding_program();
  program.instructions[0].step = program.instructions[1].step = kStep;
  integers::Linear sums;
  sums.terms.push_back({0, std::make_shared<layout::Contraction>(
                               layout::Contraction::dense({1, 2}, 2, std::vector<double>{4, 2, -2, 3}))});
  sums.bias = {1, 10};
  program.instructions[1].operation = std::move(sums);  // 1 to 19, and 4 to 19
  program.instructions[1].lowest = 1;
  program.instructions[1].highest = 19;
  program.instructions[2].operation = integers::Round{1, 1};
  program.instructions[2].highest = 10;
  compilation.model.parameters = params::solve(integers::requirements(program, -64));
  compilation.model.neighbour_rates.assign(program.instructions.size(), 0);
  const nlohmann::ordered_json plan = integer_plan_json(compilation, 1);
  EXPECT_EQ(plan.at("instructions").at(2).at("operation"), "round");
  EXPECT_EQ(plan.at("instructions").at(2).at("dropped_bits"), 1);
  EXPECT_EQ(plan.at("instructions").at(2).at("bootstraps"), 2);
  EXPECT_EQ(plan.at("rounding_bootstraps"), 2);
  EXPECT_EQ(plan.at("bootstraps"), 4);
}

/// A plan on one thread of a program with parameters of its own.
IntegerCompilation planned_program(integers::Program program, std::vector<double> neighbour_rates) {
  IntegerCompilation compilation;
  compilation.model.program = std::move(program);
  compilation.model.parameters = params::solve(integers::requirements(compilation.model.program, -64));
  compilation.model.neighbour_rates = std::move(neighbour_rates);
  return compilation;
}

TEST(IntegerPlan, LookupsTakeBootstrapsAndSumsTakeProducts) {
  const IntegerCompilation compilation = planned_program(integers::rounding_program(), {0, 0, 0, 0.25, 0});
  const params::TfheParameters parameters = params::TfheParameters::check(compilation.model.parameters);
  const double bootstrap = params::lookup_cost(parameters.literal()).total();
  const std::vector<double> deviations = integers::noise_deviations(compilation.model.program, parameters);
  ASSERT_GT(deviations.at(1), 0);
  for (const int threads : {1, 2}) {
    const nlohmann::ordered_json plan = integer_plan_json(compilation, threads), list = plan.at("instructions");
    ASSERT_EQ(list.size(), 5u);
    const auto seconds = [&](std::size_t id) { return list.at(id).at("seconds").get<double>() * threads; };
    EXPECT_EQ(seconds(0), 0) << "an input";
    EXPECT_EQ(seconds(4), 0) << "an output";
    // Two sums of two products each, of every word of a ciphertext.
    EXPECT_DOUBLE_EQ(seconds(1), 4 * static_cast<double>(parameters.large_lwe().value + 1) * 0.17e-9);
    EXPECT_EQ(list.at(2).at("bootstraps"), 4) << "two numbers, two bits each";
    EXPECT_DOUBLE_EQ(seconds(2), 4 * bootstrap);
    EXPECT_EQ(list.at(3).at("bootstraps"), 2);
    EXPECT_DOUBLE_EQ(seconds(3), 2 * bootstrap);
    for (std::size_t id = 0; id < list.size(); ++id) {
      EXPECT_EQ(list.at(id).at("neighbour_rate"), id == 3 ? nlohmann::ordered_json(0.25) : nullptr) << id;
      const nlohmann::ordered_json& noise = list.at(id).at("log_noise");
      EXPECT_EQ(noise.is_null(), deviations[id] == 0) << id;
      if (!noise.is_null()) {
        EXPECT_DOUBLE_EQ(noise.get<double>(), std::log2(deviations[id])) << id;
      }
    }
  }
}

/// Two numbers a box.
TEST(IntegerPlan, TheRateOfOneRoundedLookupIsItsOwn) {
  constexpr int kBits = 4, kMade = integers::kMessageBits - kBits;
  integers::Program program{"one", kBits, {}};
  program.instructions.push_back({integers::Input{"x"}, {1, 1}, kMade - 1, 0, 20, true, "x", ""});
  std::vector<std::int64_t> table;
  for (std::int64_t m = 0; m < std::int64_t{1} << kBits; ++m) table.push_back(m);
  program.instructions.push_back({integers::Lookup{0, {table}, {}}, {1, 1}, kMade, 0, 15, true, "lookup", ""});
  program.instructions.push_back({integers::Output{1, "y"}, {1, 1}, kMade, 0, 15, true, "y", ""});
  const IntegerCompilation compilation = planned_program(std::move(program), {0, 0.125, 0});
  const nlohmann::ordered_json plan = integer_plan_json(compilation, 1);
  EXPECT_EQ(plan.at("rounded_lookups"), 1);
  EXPECT_EQ(plan.at("neighbour_rate"), 0.125);
}

}  // namespace
}  // namespace tacit::session
