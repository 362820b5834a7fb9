#include "graph/passes/normalise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "base/error.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/fit_functions.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/sketch.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"

namespace tacit::graph::passes {
namespace {

// y = 100 * tanh(3 x + 1), x in [-1, 2]
Network tanh_network() {
  Sketch s;
  const TensorId x = s.input({4});
  const TensorId a = s.node("Mul", {x, s.constant({4}, {3, 3, 3, 3})}, {4});
  const TensorId b = s.node("Add", {a, s.constant({}, {1})}, {4});
  const TensorId t = s.node("Tanh", {b}, {4});
  s.output(s.node("Mul", {t, s.constant({4}, {100, 100, 100, 100})}, {4}));
  return fold(linearise(recognise(s.graph)));
}

const std::vector<std::vector<Tensor>> kSamples{{{{4}, {-1, 0, 1, 2}, false}}};

TEST(Calibrate, WidensTheMeasuredRangeByAQuarterOfItsWidth) {
  Network network = tanh_network();
  calibrate(network, kSamples, base::Progress::silent());
  const auto& function = std::get<Function>(network.values[2].operation);
  EXPECT_NEAR(function.lowest, -4.25, 1e-12);  // 3 x + 1 in [-2, 7]
  EXPECT_NEAR(function.highest, 9.25, 1e-12);
  EXPECT_NEAR(network.values[3].range.lowest, 100 * std::tanh(-2.0), 1e-9);
}

TEST(Calibrate, AFunctionWithoutCalibrationDataIsRefusedByName) {
  Network network = tanh_network();
  try {
    calibrate(network, {}, base::Progress::silent());
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("(Tanh) is not a polynomial"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("calibration data"), std::string::npos);
  }
}

TEST(Calibrate, IntervalsBoundAPolynomialNetwork) {
  Sketch s;
  const TensorId x = s.input({1, 2});
  const TensorId g = s.node("MatMul", {x, s.constant({2, 1}, {2, -3})}, {1, 1});
  s.output(s.node("Mul", {g, g}, {1, 1}));
  Network network = linearise(recognise(s.graph));
  bound_by_intervals(network, {-1, 4});
  EXPECT_EQ(network.values[1].range.lowest, -14);
  EXPECT_EQ(network.values[1].range.highest, 11);
  EXPECT_EQ(network.values[2].range.lowest, 0);
  EXPECT_EQ(network.values[2].range.highest, 196);
}

TEST(Normalise, FoldsTheIntervalIntoTheAffineMapBeforeAndTheUnitIntoTheOneBehind) {
  Network network = tanh_network();
  calibrate(network, kSamples, base::Progress::silent());
  const std::vector<Approximation> done = fit_functions(network, 59, 0.1);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_LT(done[0].max_error, 1.0 / 4096);
  const Normalised normalised = normalise(isolate_function_inputs(network), 16);
  EXPECT_EQ(normalised.factors.back(), 0.125);  // 100 becomes 12.5
  const auto values = evaluate(normalised.network, kSamples[0], Functions::by_series);
  const double mapped[] = {-2, 1, 4, 7};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(values[1][i], (2 * mapped[i] - 5) / 13.5, 1e-12);
    EXPECT_NEAR(values[3][i], 12.5 * std::tanh(mapped[i]), 12.5 / 4096);
  }
  EXPECT_LE(normalised.network.values[1].range.highest, 1);
}

TEST(Normalise, AFunctionOfAnInputGetsAnAffineMapOfItsOwn) {
  Sketch s;
  const TensorId x = s.input({4});
  const TensorId t = s.node("Tanh", {x}, {4});
  const TensorId r = s.node("Sigmoid", {x}, {4});
  s.output(s.node("Add", {t, r}, {4}));
  Recognised recognised = recognise(s.graph);
  EXPECT_EQ(recognised.functions.size(), 1u);  // tanh(x) + sigmoid(x) is one function of x
  Network network = fold(linearise(recognised));
  EXPECT_EQ(network.values.size(), 2u);
  network = isolate_function_inputs(network);
  ASSERT_EQ(network.values.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<Affine>(network.values[1].operation));
}

const Shape kTwo{1, 2};

/// factor * x + bias by element.
Affine multiple(ValueId input, double factor, double bias) {
  return {{{input, layout::scaled(std::make_shared<layout::Identity>(kTwo), layout::RepeatedReals(factor))}},
          layout::RepeatedReals(bias)};
}

Value known(decltype(Value::operation) operation, Range range) {
  return {std::move(operation), kTwo, "n", "Op", range};
}

/// x, a = 3 x + 1, a function of a from -2 to 6, 2 a + 5, its square, and one more than that.
Network function_and_square() {
  Network network;
  network.add(known(Private{}, {-1, 2}));
  network.add(known(multiple(0, 3, 1), {-2, 7}));
  Function function;
  function.input = 1;
  function.lowest = -2;
  function.highest = 6;
  function.coefficients = {1, 2};
  network.add(known(function, {-4, 3}));
  network.add(known(multiple(1, 2, 5), {1, 19}));
  network.add(known(Product{3, 3}, {1, 361}));
  network.add(known(multiple(4, 1, 1), {2, 362}));
  network.outputs = {2, 5};
  return network;
}

TEST(Normalise, EveryValueHasUnitsOfItsKind) {
  Network network = function_and_square();
  for (Value& value : network.values) value.element_ranges = value.reached = {{0, 1}, {0, 1}};
  const Normalised made = normalise(network, 16);
  EXPECT_EQ(made.factors, (std::vector<double>{1, 0.25, 4, 0.25, 0.0625, 1.0 / 32}));
  EXPECT_EQ(made.offsets, (std::vector<double>{0, -0.5, 0, 0, 0, 0}));
  EXPECT_EQ(made.network.outputs, network.outputs);
  const std::vector<Range> ranges{{-1, 2}, {-1, 1.25}, {-16, 12}, {0.25, 4.75}, {0.0625, 22.5625}, {0.0625, 11.3125}};
  for (std::size_t id = 0; id < ranges.size(); ++id) {
    EXPECT_EQ(made.network.values[id].range, ranges[id]) << id;
    EXPECT_TRUE(made.network.values[id].element_ranges.empty()) << id;
    EXPECT_TRUE(made.network.values[id].reached.empty()) << id;
  }
  const auto& function = std::get<Function>(made.network.values[2].operation);
  EXPECT_EQ(function.lowest, -1);
  EXPECT_EQ(function.highest, 1);
  EXPECT_EQ(function.coefficients, (std::vector<double>{4, 8}));
  const auto values = evaluate(made.network, {{kTwo, {1, -0.5}, false}}, Functions::by_series);
  EXPECT_EQ(values[1], (std::vector<double>{0.5, -0.625})) << "4 and -0.5 in [-2, 6]";
  EXPECT_EQ(values[3], (std::vector<double>{3.25, 1})) << "quarters of 13 and 4";
  EXPECT_EQ(values[4], (std::vector<double>{10.5625, 1}));
  EXPECT_EQ(values[5], (std::vector<double>{170.0 / 32, 17.0 / 32}));
}

/// Operands get a bound between half of theirs and theirs, and so do values that only sums read: 1, or 1/2 where they
/// may be refreshed.
TEST(Normalise, OperandsComeNearTheirBound) {
  const auto factor = [](double bound, bool output, double output_bound, double operand_bound) {
    Network network;
    network.add(known(Private{}, {0, 1}));
    network.add(known(multiple(0, bound, 0), {-bound, bound / 2}));
    network.add(known(Product{1, 1}, {0, bound * bound}));
    network.add(known(multiple(2, 1, 0), {0, bound * bound}));
    network.outputs = {output ? ValueId{2} : ValueId{3}};
    return normalise(network, output_bound, {.operands = operand_bound}).factors[1];
  };
  EXPECT_EQ(factor(7, false, 16, 8), 1);
  EXPECT_EQ(factor(8, false, 16, 8), 1);
  EXPECT_EQ(factor(9, false, 16, 8), 0.5);
  EXPECT_EQ(factor(7, false, 16, 2), 0.25);
  EXPECT_EQ(factor(7, true, 16, 8), 0.5) << "a square below 16";
  EXPECT_EQ(factor(7, true, 100, 8), 1);
  EXPECT_EQ(factor(3, true, 100, 8), 2);
  const auto inner = [](Range range, const StoredBounds& bounds = {}) {
    Network network;
    network.add(known(Private{}, {0, 1}));
    network.add(known(multiple(0, 1, 0), range));
    network.add(known(multiple(1, 1, 0), {0, 1}));
    network.outputs = {2};
    return normalise(network, 16, bounds).factors[1];
  };
  EXPECT_EQ(inner({-4, 3}, kRefreshableBounds), 0.125);
  EXPECT_EQ(inner({-4, 3}), 0.25);
  EXPECT_EQ(inner({-4, 5}), 0.125);
  EXPECT_EQ(inner({0.25, 0.375}), 2);
  EXPECT_EQ(inner({}), 1) << "nothing is known";
  EXPECT_EQ(inner({0, 0}), 1);
}

/// Numbers times the reciprocal of their sum: large numbers meet small reciprocals.
TEST(Normalise, FunctionsMakeUpForProductsBelowTheirBounds) {
  const auto factors = [](double highest, bool square) {
    Function of_input;
    of_input.lowest = -1;
    of_input.highest = 1;
    Network network;
    network.add(known(Private{}, {-1, 1}));
    network.add(known(of_input, {0, 64}));
    network.add(known(multiple(1, 1, 0), {0, 64}));
    network.add(known(of_input, {0, 1}));
    network.add(known(Product{square ? ValueId{3} : ValueId{2}, 3}, {0, highest}));
    network.add(known(multiple(4, 1, 0), {0, highest}));
    network.outputs = {5};
    return normalise(network, 16, {.operands = 1, .others = 1}).factors;
  };
  EXPECT_EQ(factors(64, false)[3], 1);
  EXPECT_EQ(factors(16, false)[3], 1) << "a quarter";
  EXPECT_EQ(factors(8, false)[3], 8);
  const std::vector<double> small = factors(1, false);
  EXPECT_EQ(small[2], 1.0 / 64) << "an affine value may be refreshed";
  EXPECT_EQ(small[3], 64);
  EXPECT_EQ(small[4], 1);
  EXPECT_EQ(factors(1.0 / 64, true)[3], 8) << "a square has both operands raised";
}

/// The range of an input whose elements the client multiplies is that of the products, with 0.
TEST(Normalise, RangesOfInputsAreThoseOfWhatIsEncrypted) {
  Network network;
  network.add(known(Private{0, {0.5, 2}}, {-1, 4}));
  network.values[0].element_ranges = {{-1, 2}, {3, 4}};
  network.outputs = {0};
  EXPECT_EQ(normalise(network, 16).network.values[0].range, (Range{-0.5, 8}));
}

TEST(Normalise, FunctionsReadASumThatNothingElseReads) {
  const auto isolated = [](bool shared) {
    Network network = function_and_square();
    network.outputs = shared ? std::vector<ValueId>{2, 5} : std::vector<ValueId>{2};
    return isolate_function_inputs(shared ? network : without_unread(network));
  };
  const Network alone = isolated(false), copied = isolated(true);
  ASSERT_EQ(alone.values.size(), 3u);
  EXPECT_EQ(operands(alone.values[2]), std::vector<ValueId>{1});
  ASSERT_EQ(copied.values.size(), 7u) << "the sum stands there twice";
  EXPECT_EQ(operands(copied.values[2]), std::vector<ValueId>{0});
  EXPECT_EQ(operands(copied.values[3]), std::vector<ValueId>{2});
  EXPECT_EQ(operands(copied.values[4]), std::vector<ValueId>{1});
  EXPECT_EQ(copied.outputs, (std::vector<ValueId>{3, 6}));
  // A function that reads a product gets a separate sum of the product.
  Network product;
  product.add(known(Private{}, {-1, 2}));
  product.add(known(Product{0, 0}, {0, 4}));
  Function function;
  function.input = 1;
  product.add(known(function, {0, 1}));
  product.outputs = {2};
  const Network made = isolate_function_inputs(product);
  ASSERT_EQ(made.values.size(), 4u);
  EXPECT_TRUE(std::holds_alternative<Affine>(made.values[2].operation));
  EXPECT_EQ(made.values[2].range, (Range{0, 4}));
  EXPECT_EQ(operands(made.values[3]), std::vector<ValueId>{2});
}

/// The range includes zero, the number between the elements, whatever sign the elements have.
TEST(Normalise, RangesOfEncryptedInputsReachZero) {
  const auto range = [](const std::vector<Range>& elements) {
    Network network;
    network.add(known(Private{0, {0.5, 2}}, {-1, 4}));
    network.values[0].element_ranges = elements;
    network.outputs = {0};
    return normalise(network, 16).network.values[0].range;
  };
  EXPECT_EQ(range({{3, 4}, {1, 6}}), (Range{0, 12}));
  EXPECT_EQ(range({{-8, -4}, {-3, -1}}), (Range{-6, 0}));
  EXPECT_EQ(range({{-8, 4}, {-1, 1}}), (Range{-4, 2}));
}

/// A function from -8 to 0 reads x / 4 + 1. Other readers of x subtract the offset again.
TEST(Normalise, OffsetsOfOneAreTakenOutAgain) {
  Network network;
  network.add(known(Private{}, {-8, 0}));
  network.add(known(multiple(0, 1, 0), {-8, 0}));
  Function function;
  function.input = 1;
  function.lowest = -8;
  function.highest = 0;
  function.coefficients = {1, 2};
  network.add(known(function, {-1, 3}));
  network.add(known(multiple(1, 2, 3), {-13, 3}));
  network.outputs = {2, 3};
  const Normalised made = normalise(network, 16);
  EXPECT_EQ(made.factors, (std::vector<double>{1, 0.25, 4, 1}));
  EXPECT_EQ(made.offsets, (std::vector<double>{0, 1, 0, 0}));
  const auto values = evaluate(made.network, {{kTwo, {-8, -2}, false}}, Functions::by_series);
  EXPECT_EQ(values[1], (std::vector<double>{-1, 0.5}));
  EXPECT_EQ(values[3], (std::vector<double>{-13, -1}));
}

TEST(Normalise, OperandsComeToEightWhereNothingElseIsSaid) {
  const auto factor = [](double bound) {
    Network network;
    network.add(known(Private{}, {0, 1}));
    network.add(known(multiple(0, bound, 0), {-bound, bound}));
    network.add(known(Product{1, 1}, {0, bound * bound}));
    network.add(known(multiple(2, 1, 0), {0, bound * bound}));
    network.outputs = {3};
    return normalise(network, 16).factors[1];
  };
  EXPECT_EQ(factor(8), 1);
  EXPECT_EQ(factor(8.5), 0.5);
}

TEST(Normalise, ValuesKeepTheirOrderWhereNothingIsCopied) {
  Network network;
  network.add(known(Private{}, {-1, 2}));
  network.add(known(multiple(0, 3, 1), {-2, 7}));
  network.add(known(multiple(0, 2, 5), {3, 9}));
  Function function;
  function.input = 1;
  network.add(known(function, {-4, 3}));
  network.outputs = {3, 2};
  const Network made = isolate_function_inputs(network);
  ASSERT_EQ(made.values.size(), 4u);
  EXPECT_EQ(operands(made.values[3]), std::vector<ValueId>{1});
  EXPECT_EQ(made.outputs, (std::vector<ValueId>{3, 2}));
}

}  // namespace
}  // namespace tacit::graph::passes
