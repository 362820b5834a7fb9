#include "graph/slots/check_magnitudes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/refusal_for_test.h"
#include "params/noise.h"

namespace tacit::graph::passes {
namespace {

using testing::HasSubstr;

constexpr Range kUnknown{};

/// An input x at level 2, and an output y, which at level 0 holds 2^(50 - 40 - 3) twice.
struct OneLayer {
  Network bounded;
  Lowered lowered;

  explicit OneLayer(const Range& x = {-1, 1}, const Range& y = {-1, 1}, double y_factor = 1) {
    bounded.add({Private{}, {1}, "x", "", x});
    bounded.add({Affine{{{0, nullptr}}}, {1}, "n1", "MatMul", y});
    bounded.outputs = {1};
    lowered.literal = {"asked", 11, {50, 40, 40}, {50}, 40, true};
    lowered.normalised = {bounded, {1, y_factor}, {0, 0}};
    for (Value& value : lowered.normalised.network.values) value.range = kUnknown;
    const layout::Layout layout = layout::Layout::row_major({1}, 1024);
    lowered.program.slots = 1024;
    lowered.program.instructions = {{slots::Input{"x"}, layout, "x", "", 1, 2, 0x1p40},
                                    {slots::Linear{}, layout, "n1", "", 1, 0, 0x1p40}};
    lowered.places = {0, 1};
  }
  void store(ValueId id, const Range& range) { lowered.normalised.network.values[id].range = range; }
  std::string refusal(bool measured) const {
    return base::refusal([&] { check_magnitudes(bounded, lowered, measured); });
  }
  /// Returns the least bound of the largest value, for factors of 1.
  double least() const { return 256 * params::rounding_noise(params::CkksParameters::check(lowered.literal), 0x1p40); }
};

TEST(CheckMagnitudes, AValueOverflowsBeyondTwiceTheLargestOutputOfItsLevel) {
  const auto overflow = [](const Range& y, double factor) {
    const OneLayer layer({-1, 1}, y, factor);
    return first_overflow(layer.bounded, layer.lowered);
  };
  EXPECT_EQ(overflow({-256, 100}, 1), std::nullopt);
  EXPECT_EQ(overflow({-256.5, 100}, 1), std::optional<ValueId>(1));
  EXPECT_EQ(overflow({-1, 64}, 4), std::nullopt);
  EXPECT_EQ(overflow({-1, 64.5}, 4), std::optional<ValueId>(1));
  EXPECT_EQ(overflow(kUnknown, 1e9), std::nullopt);
  OneLayer higher({-1, 1}, {-257, 257});
  higher.lowered.program.instructions[1].level = 1;
  EXPECT_EQ(first_overflow(higher.bounded, higher.lowered), std::nullopt) << "a level of 40 bits more";
  OneLayer input({0, 300});
  EXPECT_EQ(first_overflow(input.bounded, input.lowered), std::nullopt);
  input.lowered.program.instructions[0].level = 0;
  EXPECT_EQ(first_overflow(input.bounded, input.lowered), std::optional<ValueId>(0));
}

TEST(CheckMagnitudes, TheRangeThatAValueIsStoredInCountsWhereItIsKnown) {
  OneLayer small({-1, 1}, {-1000, 1000}), large;
  small.store(1, {-256, 1});
  large.store(1, {-256.5, 1});
  EXPECT_EQ(first_overflow(small.bounded, small.lowered), std::nullopt);
  EXPECT_EQ(first_overflow(large.bounded, large.lowered), std::optional<ValueId>(1));
}

TEST(CheckMagnitudes, AnOverflowIsToldInTheUnitsOfTheModel) {
  const OneLayer layer({-1, 1}, {-10, 80}, 4);
  EXPECT_EQ(layer.refusal(true),
            "node 'n1' (MatMul): values reach 80 on the calibration data, and parameter set asked holds at most 64 at "
            "that point: scale the model's inputs or weights down");
  EXPECT_THAT(layer.refusal(false),
              HasSubstr("values reach 80 by interval arithmetic from the declared range of the inputs, and parameter "
                        "set asked holds at most 64 at that point: give calibration data (--calibrate)"));
  OneLayer input({-300, 0});
  input.lowered.program.instructions[0].level = 0;
  EXPECT_THAT(input.refusal(true), HasSubstr("input 'x': values reach 300 on the calibration data, and parameter set "
                                             "asked holds at most 256 at that point"));
}

TEST(CheckMagnitudes, InputsAndOutputsRiseAboveTheNoise) {
  const double least = OneLayer().least();
  EXPECT_EQ(OneLayer({-least, 0}, {0, least}).refusal(true), base::kNotRefused);
  EXPECT_EQ(OneLayer({-1, 1}, {0, 1.001 * least / 4}, 4).refusal(true), base::kNotRefused) << "it is stored times four";
  EXPECT_EQ(OneLayer({0, 0}, {0, 0}).refusal(true), base::kNotRefused) << "nothing but zeros";
  EXPECT_EQ(OneLayer(kUnknown, kUnknown).refusal(true), base::kNotRefused);
  const double below = 0.99 * least;
  EXPECT_EQ(OneLayer({-1, 1}, {-below, 0}).refusal(true),
            fmt::format("node 'n1' (MatMul): its values lie in [{:.3g}, 0] on the calibration data, and with parameter "
                        "set asked anything below {:.3g} drowns in noise: scale the model's outputs up",
                        -below, least));
  EXPECT_THAT(OneLayer({-1, 1}, {0, below / 4}, 4).refusal(false),
              HasSubstr(fmt::format("its values lie in [0, {:.3g}] by the declared range of the inputs, and with "
                                    "parameter set asked anything below {:.3g} drowns in noise: give calibration data "
                                    "(--calibrate), which sets the units of the results",
                                    below / 4, least / 4)));
  for (const bool measured : {false, true})
    EXPECT_THAT(OneLayer({0, below}).refusal(measured),
                HasSubstr("drowns in noise: scale the model's inputs up, for example to [-1, 1]"));
}

TEST(CheckMagnitudes, AnInputThatNothingReadsMayBeSmall) {
  OneLayer layer({0, 1e-30}, {-1, 1});
  layer.bounded.values[1].operation = Affine{};
  EXPECT_EQ(layer.refusal(true), base::kNotRefused);
  layer.bounded.values[1].operation = Affine{{{0, nullptr}}};
  EXPECT_THAT(layer.refusal(true), HasSubstr("input 'x': its values lie in [0, 1e-30]"));
}

TEST(CheckMagnitudes, TheOperandOfABootstrapIsKnownToLieInItsInterval) {
  const auto refusal = [](double bound, params::BootstrapForm form) {
    OneLayer layer;
    slots::Bootstrap bootstrap{{0}, {}};
    bootstrap.schedule.form = form;
    layer.lowered.program.instructions[0].bound = bound;
    layer.lowered.program.instructions.push_back(
        {std::move(bootstrap), layout::Layout::row_major({1}, 1024), "b", "", 1, 2, 0x1p40});
    return layer.refusal(true);
  };
  using Form = params::BootstrapForm;
  for (const Form form : {Form::linear, Form::folded})
    for (const double bound : {0.5, 1.0, 1 + 1e-10, 1 + 1e-9})
      EXPECT_EQ(refusal(bound, form), base::kNotRefused) << bound;
  EXPECT_EQ(refusal(0, Form::folded), base::kNotRefused);
  EXPECT_THAT(refusal(0, Form::linear),
              HasSubstr("node 'b': a bootstrap takes values in [-1, 1], and the calibrated range of "
                        "its operand is not known: give calibration data (--calibrate)"));
  for (const Form form : {Form::linear, Form::folded}) {
    EXPECT_THAT(refusal(1.5, form), HasSubstr("the calibrated range of its operand reaches 1.5"));
    EXPECT_THAT(refusal(1 + 1e-8, form), HasSubstr("the calibrated range of its operand reaches 1:"));
  }
}

TEST(CheckMagnitudes, EveryInputRisesAboveTheNoise) {
  for (const ValueId small : {0u, 1u, 2u}) {
    OneLayer layer;
    for (const ValueId id : {2u, 3u}) {
      Value input{Private{id - 1}, {1}, fmt::format("x{}", id), "", {-1, 1}};
      layer.bounded.values.push_back(input);
      layer.lowered.normalised.network.values.push_back(input);
      layer.lowered.normalised.network.values.back().range = kUnknown;
      layer.lowered.normalised.factors.push_back(1);
      layer.lowered.places.push_back(0);
    }
    layer.bounded.values[1].operation = Affine{{{0, nullptr}, {2, nullptr}, {3, nullptr}}};
    EXPECT_EQ(layer.refusal(true), base::kNotRefused);
    Value& value = layer.bounded.values[small == 0 ? 0 : small + 1];
    value.range = {0, 1e-30};
    EXPECT_THAT(layer.refusal(true), HasSubstr(fmt::format("input '{}': its values lie in [0, 1e-30]", value.node)));
  }
}

}  // namespace
}  // namespace tacit::graph::passes
