#include "program/slots/noise_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "layout/operators/matrix.h"
#include "params/bootstrap_noise.h"
#include "params/noise.h"
#include "program/slots/small_parameters_for_test.h"

// Each instruction by the formulas of params/noise.h. What programs make of them is measured in runtime/slots.
namespace tacit::slots {
namespace {

using layout::Layout;

/// Of the last instruction, behind an input of level 3.
double noise_of(Operation operation, int level, double bound_of_operand = 1, double scale_of_operand = kScale) {
  const Layout four = Layout::row_major({4}, 512);
  Program program{.name = "made", .slots = 512, .instructions = {}};
  program.instructions.push_back({Input{"x"}, four, "x", "made.onnx: x", bound_of_operand, 3, scale_of_operand});
  program.instructions.push_back({std::move(operation), four, "node", "made.onnx: node", 1, level, kScale});
  return modelled_noise(program, small_parameters()).at(1);
}

TEST(NoiseModel, EveryInstructionHasTheNoiseOfItsFormula) {
  using params::encode_noise, params::key_switch_noise, params::multiply_noise, params::rounding_noise;
  const auto& p = small_parameters();
  const auto same = [](double found, double expected) { EXPECT_NEAR(found / expected, 1, 1e-9); };
  same(noise_of(Input{"y"}, 2), std::hypot(params::public_encryption_noise(p, kScale), encode_noise(p, kScale)));
  same(noise_of(Multiply{0, 0}, 2), multiply_noise(p, 3, kScale));
  const auto factor = layout::RepeatedReals(2);
  same(noise_of(MultiplyPlain{0, factor}, 2), std::hypot(rounding_noise(p, kScale), encode_noise(p, kScale)));
  same(noise_of(MultiplyPlain{0, factor, 9}, 2), std::hypot(rounding_noise(p, kScale), 3 * encode_noise(p, kScale)));
  same(noise_of(Drop{0}, 2), std::hypot(rounding_noise(p, kScale), encode_noise(p, kScale)));
  for (const int level : {1, 3}) {
    same(noise_of(Rotate{0, 1}, level), key_switch_noise(p, level, kScale));
    same(noise_of(RotateSum{0, {1, 2, 5, 7}}, level), 2 * key_switch_noise(p, level, kScale));
  }
  for (const Operation& exact : {Operation(Add{0, 0}), Operation(Subtract{0, 0}), Operation(AddPlain{0, factor}),
                                 Operation(Sum{0, 1}), Operation(Output{0, "y"})})
    EXPECT_EQ(noise_of(exact, 3), 0);
}

TEST(NoiseModel, LinearMapsAddRotationsRoundingsWeightsAndFolds) {
  const auto& p = small_parameters();
  const Layout four = Layout::row_major({4}, 512);
  // Every row has weights 1, 2, -2 and 0: a mean energy of 9.
  const auto op = std::make_shared<layout::Contraction>(
      layout::Contraction::dense({4}, 4, std::vector<double>{1, 2, -2, 0, 2, 1, 0, 2, 0, 2, -1, 2, 2, 0, 2, 1}));
  EXPECT_EQ(row_energies(*op), (std::vector<double>(4, 9.0)));
  const params::LinearSchedule flat{{{0, 0, 0}, {1, 1, 0}, {2, 2, 0}}, {}}, folded{{{0, 0, 0}}, {8, 4}};
  const double rounding = params::rounding_noise(p, kScale), fold = params::key_switch_noise(p, 2, kScale);
  for (const double scale : {kScale, 8 * kScale}) {
    const double rotation = params::key_switch_noise(p, 3, scale);
    const double weights = params::encode_noise(p, p.prime(3) * kScale / scale);
    for (const double bound : {0.0, 1.0, 6.0}) {
      const double square = (bound > 0 ? bound * bound : 1) / 3;
      const double plain = 9 * rotation * rotation + rounding * rounding + 3 * square * weights * weights;
      const double turned =
          9 * rotation * rotation + 4 * rounding * rounding + 4 * square * weights * weights + 3 * fold * fold;
      const auto found = [&](const std::vector<LinearTerm>& terms) {
        return noise_of(Linear{terms, {}}, 2, bound, scale) * noise_of(Linear{terms, {}}, 2, bound, scale);
      };
      EXPECT_NEAR(found({{0, {four, four, op}, flat}}) / plain, 1, 1e-9);
      EXPECT_NEAR(found({{0, {four, four, op}, folded}}) / turned, 1, 1e-9);
      EXPECT_NEAR(found({{0, {four, four, op}, flat}, {0, {four, four, op}, folded}}) / (plain + turned), 1, 1e-9);
    }
  }
}

TEST(NoiseModel, EnergiesAreOfUpToSixtyFourRowsOverTheWholeMap) {
  std::vector<double> matrix;
  for (int row = 0; row < 200; ++row) matrix.push_back(row);
  const auto op = layout::Contraction::dense({1}, 200, std::move(matrix));
  const std::vector<double> energies = row_energies(op);  // of every third row
  ASSERT_EQ(energies.size(), 67u);
  for (std::size_t i = 0; i < energies.size(); ++i) EXPECT_EQ(energies[i], std::pow(3.0 * static_cast<double>(i), 2));
}

TEST(NoiseModel, EnergiesAreOfEveryRowUpToTwiceSixtyFourButOne) {
  const auto counted = [](layout::Index rows) {
    return row_energies(layout::Contraction::dense({1}, rows, std::vector<double>(static_cast<std::size_t>(rows), 2.0)))
        .size();
  };
  EXPECT_EQ(counted(1), 1U);
  EXPECT_EQ(counted(64), 64U);
  EXPECT_EQ(counted(127), 127U);
  EXPECT_EQ(counted(128), 64U);
  EXPECT_EQ(counted(192), 64U);
}

TEST(NoiseModel, BootstrapsHaveTheNoiseOfTheirSchedule) {
  const auto s8 = params::CkksParameters::check(params::named_literal("S8"));
  const params::BootstrapSchedule schedule = params::plan_bootstrap(s8.literal(), {.output_level = 5});
  const Layout full = Layout::row_major({32768}, 32768);
  Program program{.name = "made", .slots = 32768, .instructions = {}};
  program.instructions.push_back({Input{"x"}, full, "x", "", 1, 3, s8.scale()});
  program.instructions.push_back({Bootstrap{{0}, schedule}, full, "y", "", 1, 5, s8.scale()});
  EXPECT_EQ(modelled_noise(program, s8).at(1), params::bootstrap_noise(s8, schedule).total());
}

}  // namespace
}  // namespace tacit::slots
