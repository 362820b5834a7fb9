#include "check/integers/integer_operators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "check/integers/integer_validator.h"
#include "graph/quant/compiled_for_test.h"
#include "layout/operators/matrix.h"
#include "runtime/integers/integer_client.h"
#include "runtime/integers/integer_executor.h"

namespace tacit::check {
namespace {

using graph::Graph;
using graph::quant::CompiledIntegers;
using scheme::tfhe::Context;

CompiledIntegers compiled(const Graph& graph, graph::quant::Rounding rounding = graph::quant::Rounding::approximate) {
  graph::quant::CompileOptions options;
  options.bits = 4;
  options.rounding = rounding;
  options.log2_failure = -40;
  options.calibration = graph::quant::samples(graph, 300, 1);
  return graph::quant::compile(graph, options);
}

/// Encrypts samples, runs the model's own program on them, and validates that.
std::vector<IntegerResult> validate_model(const Graph& graph, const CompiledIntegers& model) {
  const auto context = Context::make(params::TfheParameters::check(model.parameters));
  const auto secret = scheme::tfhe::SecretKey::generate(*context);
  const auto keys = scheme::tfhe::SeededEvaluationKeys::generate(*context, secret);
  const runtime::IntegerExecutor executor(std::make_shared<const runtime::PreparedIntegers>(context, model.program),
                                          std::make_shared<const scheme::tfhe::Evaluator>(context, keys));
  const runtime::IntegerClient client(model.client, context, secret);
  const scheme::tfhe::Decryptor decryptor(context, secret);
  const IntegerOperators operators(model.encrypted, model.program, model.meanings);
  IntegerValidator validator(model.program, context->parameters(), decryptor, &operators);
  for (const auto& sample : graph::quant::samples(graph, 3, 2)) {
    std::vector<scheme::tfhe::LweCiphertexts> inputs;
    for (const auto& seeded : client.encrypt(graph::numbers_of(graph::run_before(model.parts, sample))))
      inputs.push_back(scheme::tfhe::expand(*context, seeded));
    executor.run(inputs, &validator);
  }
  return validator.results();
}

void expect_right(const std::vector<IntegerResult>& results) {
  for (const IntegerResult& result : results)
    EXPECT_EQ(result.failures, 0u) << result.operation << " of " << result.node << ": " << name(result.cause)
                                   << ", off by " << result.boxes;
}

/// The one instruction that failed.
const IntegerResult& failed(const std::vector<IntegerResult>& results) {
  const IntegerResult* found = nullptr;
  for (const IntegerResult& result : results)
    if (result.failures > 0) {
      EXPECT_EQ(found, nullptr) << result.node;
      found = &result;
    }
  if (found == nullptr) throw std::runtime_error("nothing failed");
  return *found;
}

/// The first instruction of a kind that a node became.
template <class Operation>
Operation& first(CompiledIntegers& model, const std::string& node) {
  for (integers::Instruction& made : model.program.instructions)
    if (auto* found = std::get_if<Operation>(&made.operation); found != nullptr && made.node == node) return *found;
  throw std::runtime_error("no such instruction");
}

TEST(IntegerOperators, AgreeWithANetworkToRounding) {
  const Graph graph = graph::quant::two_inputs_with_a_branch_around();
  const auto results = validate_model(graph, compiled(graph));
  expect_right(results);
  std::size_t sums = 0, tables = 0;
  for (const IntegerResult& result : results) {
    if (result.operators.empty()) continue;
    const bool table = result.operation == "lookup";
    ++(table ? tables : sums);
    EXPECT_GT(result.boxes, 0) << result.node;
    // A table's input is rounded to a box, sometimes to the one beside the next: two boxes off, where one box of the
    // input makes 2.4 of this function.
    EXPECT_LT(result.boxes, table ? 6 : 0.5) << result.node;
  }
  EXPECT_GE(sums, 3u);
  EXPECT_GE(tables, 2u);
}

TEST(IntegerOperators, AgreeWithExactRounding) {
  const Graph graph = graph::quant::two_inputs_with_a_branch_around();
  expect_right(validate_model(graph, compiled(graph, graph::quant::Rounding::exact)));
}

/// The program does what it says to the last bit: only the model tells that the table is another function's.
TEST(IntegerOperators, NameTheOperatorOfAWrongTable) {
  const Graph graph = graph::quant::two_inputs_with_a_branch_around();
  CompiledIntegers model = compiled(graph);
  const std::string node = "Tanh6";
  for (auto& table : first<integers::Lookup>(model, node).tables) std::ranges::reverse(table);
  const IntegerResult result = failed(validate_model(graph, model));
  EXPECT_EQ(result.node, node);
  EXPECT_EQ(result.operation, "lookup");
  EXPECT_EQ(result.cause, IntegerCause::quantisation);
  EXPECT_EQ(result.operators, "Tanh '" + node + "'");
}

TEST(IntegerOperators, NameTheOperatorOfAWrongBias) {
  const Graph graph = graph::quant::two_inputs_with_a_branch_around();
  CompiledIntegers model = compiled(graph);
  auto& linear = first<integers::Linear>(model, "MatMul7");
  linear.bias.assign(1, linear.bias.empty() ? 0 : linear.bias[0]);
  for (const integers::Instruction& made : model.program.instructions)
    if (made.node == "MatMul7") linear.bias[0] += (made.highest - made.lowest) / 8;
  const IntegerResult result = failed(validate_model(graph, model));
  EXPECT_EQ(result.node, "MatMul7");
  EXPECT_EQ(result.operation, "linear");
  EXPECT_EQ(result.cause, IntegerCause::quantisation);
  EXPECT_EQ(result.operators, "MatMul 'MatMul7'");
}

TEST(IntegerOperators, HoldTreesToTheirEnsemble) {
  const Graph graph = graph::quant::regressor(graph::quant::two_trees(), 4, 1);
  CompiledIntegers model = compiled(graph);
  expect_right(validate_model(graph, model));
  // Leaves of another order.
  integers::Lookup* leaves = nullptr;
  for (integers::Instruction& made : model.program.instructions)
    if (auto* lookup = std::get_if<integers::Lookup>(&made.operation)) leaves = lookup;
  for (auto& table : leaves->tables) std::ranges::reverse(table);
  const IntegerResult result = failed(validate_model(graph, model));
  EXPECT_EQ(result.operation, "linear");
  EXPECT_EQ(result.cause, IntegerCause::quantisation);
  EXPECT_TRUE(result.operators.find("TreeEnsembleRegressor") != std::string::npos) << result.operators;
}

/// Relu of boxes whose middles are -2, -1, 0 and 1, by a table in quarters.
TEST(IntegerOperators, ATableHoldsTheOperatorOfItsBoxOrOneBeside) {
  graph::passes::Sketch sketch;
  const graph::TensorId x = sketch.input({1, 4});
  const graph::TensorId y = sketch.node("Relu", {x}, {1, 4});
  sketch.output(y);
  constexpr int kBits = 2, kStep = integers::kMessageBits - kBits - 1, kResultStep = integers::kMessageBits - 5;
  integers::Program program{"relu", kBits, {}};
  program.instructions.push_back({integers::Input{"x"}, {1, 4}, kStep, -3, 3, true, "x", ""});
  program.instructions.push_back(
      {integers::Lookup{0, {{0, 0, 0, 4}}, {}}, {1, 4}, kResultStep, 0, 4, true, "relu", ""});
  const std::vector<graph::quant::IntegerMeaning> meanings{
      {layout::RepeatedReals(0.5), layout::RepeatedReals(0), x},  // two integers a box
      {layout::RepeatedReals(0.25), layout::RepeatedReals(0), y}};
  const IntegerOperators operators(sketch.graph, program, meanings);
  const auto failures = [&](const std::vector<std::int64_t>& results) {
    std::vector<std::vector<scheme::tfhe::Torus>> phases(2);
    for (const std::int64_t argument : {-4, -2, 0, 2})
      phases[0].push_back(static_cast<scheme::tfhe::Torus>(argument) << kStep);
    for (const std::int64_t result : results)
      phases[1].push_back(static_cast<scheme::tfhe::Torus>(result) << kResultStep);
    const std::optional<OperatorDifference> difference = operators.compare(1, phases, 0);
    EXPECT_TRUE(difference);
    return difference->failures;
  };
  using Elements = std::vector<std::size_t>;
  EXPECT_EQ(failures({0, 0, 0, 4}), Elements());
  EXPECT_EQ(failures({0, 0, 4, 4}), Elements()) << "of the box beside";
  EXPECT_EQ(failures({0, 0, 0, 0}), Elements());
  EXPECT_EQ(failures({0, 0, 0, 2}), Elements{3}) << "of neither box";
  EXPECT_EQ(failures({0, 0, 2, 4}), Elements{2});
  EXPECT_EQ(failures({2, 4, 0, 4}), (Elements{0, 1})) << "of boxes that are farther away";
}

/// A sum is wrong where its operator lies inside the interval that it was compiled for, or a box beside it; farther out
/// it cannot be right.
TEST(IntegerOperators, ASumWhoseOperatorLeavesItsIntervalIsBeyond) {
  graph::passes::Sketch sketch;
  const graph::TensorId x = sketch.input({1, 4});
  std::vector<double> identity(16, 0);
  for (std::size_t i = 0; i < 4; ++i) identity[5 * i] = 1;
  const graph::TensorId y = sketch.node("MatMul", {x, sketch.constant({4, 4}, identity)}, {1, 4});
  sketch.output(y);
  constexpr int kBits = 2, kStep = integers::kMessageBits - 6;
  integers::Program program{"sum", kBits, {}};
  program.instructions.push_back({integers::Input{"x"}, {1, 4}, kStep, -5, 5, true, "x", ""});
  program.instructions.push_back(
      {integers::Linear{{{0, std::make_shared<layout::Contraction>(layout::Contraction::dense({1, 4}, 4, identity))}},
                        {}},
       {1, 4},
       kStep,
       -5,
       5,
       true,
       "sum",
       ""});
  // From -2.5 to 2.5, in boxes of a quarter of it: 3.75 is the farthest that is judged.
  const std::vector<graph::quant::IntegerMeaning> meanings{{layout::RepeatedReals(1), layout::RepeatedReals(0), x},
                                                           {layout::RepeatedReals(0.5), layout::RepeatedReals(0), y}};
  const IntegerOperators operators(sketch.graph, program, meanings);
  const auto compared = [&](const std::vector<std::int64_t>& results) {
    std::vector<std::vector<scheme::tfhe::Torus>> phases(2);
    for (const std::int64_t argument : {-5, -3, 3, 5})
      phases[0].push_back(static_cast<scheme::tfhe::Torus>(argument) << kStep);
    for (const std::int64_t result : results) phases[1].push_back(static_cast<scheme::tfhe::Torus>(result) << kStep);
    return operators.compare(1, phases, 0).value();
  };
  using Elements = std::vector<std::size_t>;
  const OperatorDifference wrong = compared({5, 5, -5, -5});
  EXPECT_EQ(wrong.beyond, (Elements{0, 3}));
  EXPECT_EQ(wrong.failures, (Elements{1, 2}));
  EXPECT_NEAR(wrong.boxes, 15 / 2.5, 1e-6) << "2.5 in place of -5";
  const OperatorDifference right = compared({-10, -6, 6, 10});
  EXPECT_EQ(right.beyond, Elements());
  EXPECT_EQ(right.failures, Elements());
  EXPECT_NEAR(right.boxes, 0, 1e-6);
}

/// A function whose boxes all differ: the middles -2, -1, 0 and 1 negated, in quarters.
TEST(IntegerOperators, ATableIsHeldToTheBoxesBesideAlone) {
  graph::passes::Sketch sketch;
  const graph::TensorId x = sketch.input({1, 4});
  const graph::TensorId y = sketch.node("Neg", {x}, {1, 4});
  sketch.output(y);
  constexpr int kBits = 2, kResultStep = integers::kMessageBits - 6;
  for (const bool rounded : {true, false}) {
    // Of rounded arguments two integers are a box.
    const int step = integers::kMessageBits - kBits - (rounded ? 1 : 0);
    const std::int64_t lowest = rounded ? -3 : -2, highest = rounded ? 3 : 1, box = rounded ? 2 : 1;
    integers::Program program{"neg", kBits, {}};
    program.instructions.push_back({integers::Input{"x"}, {1, 4}, step, lowest, highest, true, "x", ""});
    program.instructions.push_back(
        {integers::Lookup{0, {{8, 4, 0, -4}}, {}}, {1, 4}, kResultStep, -4, 8, true, "neg", ""});
    const std::vector<graph::quant::IntegerMeaning> meanings{
        {layout::RepeatedReals(1.0 / static_cast<double>(box)), layout::RepeatedReals(0), x},
        {layout::RepeatedReals(0.25), layout::RepeatedReals(0), y}};
    const IntegerOperators operators(sketch.graph, program, meanings);
    const auto failures = [&](const std::vector<std::int64_t>& results) {
      std::vector<std::vector<scheme::tfhe::Torus>> phases(2);
      for (const std::int64_t middle : {-2, -1, 0, 1})
        phases[0].push_back(static_cast<scheme::tfhe::Torus>(middle * box) << step);
      for (const std::int64_t result : results)
        phases[1].push_back(static_cast<scheme::tfhe::Torus>(result) << kResultStep);
      return operators.compare(1, phases, 0).value().failures;
    };
    using Elements = std::vector<std::size_t>;
    EXPECT_EQ(failures({8, 4, 0, -4}), Elements()) << rounded;
    // Those of the boxes above, and below: right for rounded arguments only.
    EXPECT_EQ(failures({8, 0, 0, -4}), rounded ? Elements() : Elements{1});
    EXPECT_EQ(failures({8, 4, 4, -4}), rounded ? Elements() : Elements{2});
    // Two boxes away.
    EXPECT_EQ(failures({8, 4, 8, -4}), Elements{2}) << rounded;
    EXPECT_EQ(failures({0, 4, 0, 4}), (Elements{0, 3})) << rounded;
  }
}

/// A sum of tables of whole numbers may be off by half a step of every table, and by half of its own. Here a step of
/// the table is four of the sum.
TEST(IntegerOperators, ASumOfTablesMayBeOffByHalfTheirSteps) {
  graph::passes::Sketch sketch;
  const graph::TensorId x = sketch.input({1, 5});
  const graph::TensorId y = sketch.node("Relu", {x}, {1, 5});
  sketch.output(y);
  constexpr int kBits = 4, kStep = integers::kMessageBits - kBits, kSum = integers::kMessageBits - 8;
  std::vector<double> identity(25, 0);
  for (std::size_t i = 0; i < 5; ++i) identity[6 * i] = 1;
  integers::Program program{"relu", kBits, {}};
  program.instructions.push_back({integers::Input{"x"}, {1, 5}, kStep, -8, 7, true, "x", ""});
  std::vector<std::int64_t> table;
  for (std::int64_t value = -8; value < 8; ++value) table.push_back(std::max<std::int64_t>(value, 0));
  program.instructions.push_back({integers::Lookup{0, {table}, {}}, {1, 5}, kSum + 2, 0, 7, true, "relu", ""});
  program.instructions.push_back(
      {integers::Linear{{{1, std::make_shared<layout::Contraction>(layout::Contraction::dense({1, 5}, 5, identity))}},
                        {}},
       {1, 5},
       kSum,
       0,
       28,
       true,
       "relu",
       ""});
  const std::vector<graph::quant::IntegerMeaning> meanings{{layout::RepeatedReals(1), layout::RepeatedReals(0), x},
                                                           {},  // no tensor of the model
                                                           {layout::RepeatedReals(0.25), layout::RepeatedReals(0), y}};
  const IntegerOperators operators(sketch.graph, program, meanings);
  std::vector<std::vector<scheme::tfhe::Torus>> phases(3);
  const std::vector<std::int64_t> sums{4 * 3, 4 * 3 + 2, 4 * 3 - 2, 4 * 3 + 3, 4 * 3 - 3};  // of Relu(3)
  for (const std::int64_t sum : sums) {
    phases[0].push_back(scheme::tfhe::Torus{3} << kStep);
    phases[1].push_back(scheme::tfhe::Torus{3} << (kSum + 2));
    phases[2].push_back(static_cast<scheme::tfhe::Torus>(sum) << kSum);
  }
  EXPECT_FALSE(operators.compare(1, phases, 0)) << "of no tensor";
  const OperatorDifference found = operators.compare(2, phases, 0).value();
  EXPECT_EQ(found.failures, (std::vector<std::size_t>{3, 4}));
  EXPECT_TRUE(found.beyond.empty());
}

}  // namespace
}  // namespace tacit::check
