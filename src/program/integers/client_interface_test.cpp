#include "program/integers/client_interface.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/error.h"
#include "base/refusal_for_test.h"

namespace tacit::integers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kMostQuantised = std::int64_t{1} << 53;

ClientInterface interface() {
  ClientInterface made;
  made.inputs.push_back({"x", {1, 2}, 59, {layout::RepeatedReals(0.5), layout::RepeatedReals(-1), 0, 7}, true});
  made.outputs.push_back({"y", {1, 1}, 58, {layout::RepeatedReals(0.25), layout::RepeatedReals(3), -5, 5}});
  return made;
}

/// What the bytes of a changed interface are refused with.
template <class Change>
std::string interface_refusal(const Change& change) {
  ClientInterface changed = interface();
  change(changed);
  return base::refusal([&] { client_interface_from_bytes(to_bytes(changed)); });
}

TEST(IntegerClientInterface, StepsAreThoseOfTheTorusBelowThePadding) {
  for (const int step : {0, 62}) {
    EXPECT_EQ(interface_refusal([&](auto& i) { i.inputs[0].step = step; }), base::kNotRefused);
    EXPECT_EQ(interface_refusal([&](auto& i) { i.outputs[0].step = step; }), base::kNotRefused);
  }
  for (const int step : {-1, 63}) {
    EXPECT_THAT(interface_refusal([&](auto& i) { i.inputs[0].step = step; }), HasSubstr("the step of a tensor"));
    EXPECT_THAT(interface_refusal([&](auto& i) { i.outputs[0].step = step; }), HasSubstr("the step of a tensor"));
  }
}

TEST(IntegerClientInterface, ScalesArePositive) {
  for (const double scale : {0.0, -0.5}) {
    EXPECT_THAT(interface_refusal([&](auto& i) { i.inputs[0].quantiser.scale = layout::RepeatedReals(scale); }),
                HasSubstr("a scale of 'x' is not positive"));
    EXPECT_THAT(interface_refusal([&](auto& i) { i.outputs[0].quantiser.scale = layout::RepeatedReals(scale); }),
                HasSubstr("a scale of 'y' is not positive"));
  }
}

TEST(IntegerClientInterface, IntervalsAreInOrderAndOfIntegersThatDoublesTellApart) {
  const auto with = [](std::int64_t lowest, std::int64_t highest) {
    return interface_refusal([&](auto& i) {
      i.inputs[0].quantiser.lowest = lowest;
      i.inputs[0].quantiser.highest = highest;
    });
  };
  EXPECT_EQ(with(3, 3), base::kNotRefused);
  EXPECT_EQ(with(-kMostQuantised, kMostQuantised), base::kNotRefused);
  EXPECT_THAT(with(-kMostQuantised - 1, 0), HasSubstr("the lowest integer of a tensor"));
  EXPECT_THAT(with(kMostQuantised + 1, kMostQuantised + 1), HasSubstr("the lowest integer of a tensor"));
  EXPECT_THAT(with(3, 2), HasSubstr("the highest integer of a tensor"));
  EXPECT_THAT(with(0, kMostQuantised + 1), HasSubstr("the highest integer of a tensor"));
}

TEST(IntegerClientInterface, EveryFieldTravels) {
  const ClientInterface read = client_interface_from_bytes(to_bytes(interface()));
  ASSERT_EQ(read.inputs.size(), 1U);
  ASSERT_EQ(read.outputs.size(), 1U);
  EXPECT_EQ(read.inputs[0].name, "x");
  EXPECT_EQ(read.inputs[0].shape, (layout::Shape{1, 2}));
  EXPECT_EQ(read.inputs[0].step, 59);
  EXPECT_EQ(read.inputs[0].quantiser.scale[0], 0.5);
  EXPECT_EQ(read.inputs[0].quantiser.offset[0], -1);
  EXPECT_EQ(read.inputs[0].quantiser.lowest, 0);
  EXPECT_EQ(read.inputs[0].quantiser.highest, 7);
  EXPECT_TRUE(read.inputs[0].saturates);
  EXPECT_EQ(read.outputs[0].step, 58);
  EXPECT_EQ(read.outputs[0].quantiser.lowest, -5);
  EXPECT_EQ(read.outputs[0].quantiser.highest, 5);
  ClientInterface strict = interface();
  strict.inputs[0].saturates = false;
  EXPECT_FALSE(client_interface_from_bytes(to_bytes(strict)).inputs[0].saturates);
  EXPECT_FALSE(ClientInput{}.saturates);
}

// v = (x + 1) / 0.5 in [0, 7].
TEST(IntegerClientInterface, HalfAStepBeyondAnEndIsWithin) {
  ClientInput input = interface().inputs[0];
  EXPECT_THAT(elements_beyond(input, std::vector<double>{-1.25, 2.75}), IsEmpty());
  EXPECT_THAT(elements_beyond(input, std::vector<double>{-1.2500001, 2.75}), ElementsAre(0));
  EXPECT_THAT(elements_beyond(input, std::vector<double>{-1.25, 2.7500001}), ElementsAre(1));
  input.saturates = false;
  EXPECT_THAT(quantise(input, std::vector<double>{-0.75, -0.76}), ElementsAre(1, 0));
  for (const std::size_t size : {1, 3})
    EXPECT_EQ(base::refusal([&] { quantise(input, std::vector<double>(size, 0.0)); }),
              fmt::format("input 'x' has {} elements; expected 2", size));
}

TEST(IntegerClientInterface, TheEndsOfTheWidestIntervalStay) {
  ClientInput input = interface().inputs[0];
  input.quantiser = {layout::RepeatedReals(1), layout::RepeatedReals(0), -kMostQuantised, kMostQuantised};
  const auto end = static_cast<double>(kMostQuantised);
  EXPECT_THAT(quantise(input, std::vector<double>{-end * 2, end * 2}), ElementsAre(-kMostQuantised, kMostQuantised));
  EXPECT_THAT(quantise(input, std::vector<double>{end - 1, -end + 1}),
              ElementsAre(kMostQuantised - 1, -kMostQuantised + 1));
}

TEST(IntegerClientInterface, IntegersStandForThemselvesUnlessTheySay) {
  const Quantiser none;
  EXPECT_EQ(none.scale[0], 1);
  EXPECT_EQ(none.offset[0], 0);
  EXPECT_EQ(none.lowest, 0);
  EXPECT_EQ(none.highest, 0);
  EXPECT_EQ(ClientInput{}.step, 0);
  EXPECT_EQ(ClientOutput{}.step, 0);
}

/// Two elements with borders at 1 and 2.5, and at -1 and 0; NaN is the integer 3 and 0.
ClientInterface with_borders() {
  ClientInterface made = interface();
  made.inputs[0].borders = {{1, 2.5, -1, 0}, {3, 0}, true};
  return made;
}

TEST(IntegerClientInterface, ValuesLieBetweenBorders) {
  const ClientInput input = with_borders().inputs[0];
  const auto of = [&](double a, double b) { return quantise(input, std::vector<double>{a, b}); };
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(of(1, -1), ElementsAre(0, 0)) << "a border ends its interval";
  EXPECT_THAT(of(1.25, -0.5), ElementsAre(1, 1));
  EXPECT_THAT(of(2.5, 1e300), ElementsAre(1, 2));
  EXPECT_THAT(of(infinity, -infinity), ElementsAre(2, 0));
  EXPECT_THAT(of(nan, nan), ElementsAre(3, 0));
  EXPECT_THAT(elements_beyond(input, std::vector<double>{-1e9, 1e9}), IsEmpty());
  EXPECT_THAT(of(1 + 1e-12, 0), ElementsAre(0, 1)) << "1 in single precision";
  ClientInput precise = input;
  precise.borders.single = false;
  EXPECT_THAT(quantise(precise, std::vector<double>{1 + 1e-12, 0}), ElementsAre(1, 1));
}

/// Interfaces without borders keep the format that older versions read.
TEST(IntegerClientInterface, BordersTravelInAFormatOfTheirOwn) {
  EXPECT_EQ(to_bytes(interface()).at(0), 1);
  EXPECT_EQ(to_bytes(with_borders()).at(0), 2);
  const Borders read = client_interface_from_bytes(to_bytes(with_borders())).inputs[0].borders;
  EXPECT_THAT(read.rising, ElementsAre(1, 2.5, -1, 0));
  EXPECT_THAT(read.missing, ElementsAre(3, 0));
  EXPECT_TRUE(read.single);
  const auto refused = [](const auto& change) {
    ClientInterface changed = with_borders();
    change(changed.inputs[0]);
    return base::refusal([&] { client_interface_from_bytes(to_bytes(changed)); });
  };
  EXPECT_THAT(refused([](auto& i) { i.borders.rising.pop_back(); }), HasSubstr("the borders of 'x' do not fit"));
  EXPECT_THAT(refused([](auto& i) { i.borders.missing.pop_back(); }), HasSubstr("the borders of 'x' do not fit"));
  EXPECT_THAT(refused([](auto& i) { i.borders.rising[1] = 0; }), HasSubstr("the borders of 'x' do not rise"));
  EXPECT_THAT(refused([](auto& i) { i.borders.missing[1] = 8; }), HasSubstr("missing values of 'x'"));
  EXPECT_THAT(refused([](auto& i) { i.quantiser.highest = 1; }), HasSubstr("'x' has more borders"));
}

// An input that is announced is read where forty bytes follow, and refused at its count where fewer do.
TEST(IntegerClientInterface, AnElementIsTheSumOfItsAddends) {
  ClientInterface made = interface();
  ClientOutput& output = made.outputs[0];
  output.shape = {1, 2};
  output.addends = 2;
  output.quantiser.scale = layout::RepeatedReals::of(std::vector<double>{1, 0.25, 2, 0.5});
  output.quantiser.offset = layout::RepeatedReals::of(std::vector<double>{10, 0, -1, 0});
  EXPECT_EQ(output.integers(), 4);
  EXPECT_THAT(dequantise(output, std::vector<std::int64_t>{3, 2, -1, 4}), ElementsAre(13.5, -1));
  EXPECT_THAT(base::refusal([&] {
                dequantise(output, std::vector<std::int64_t>{0, 0, 0, 6});
              }),
              HasSubstr("output 'y', element 1: "));
  const ClientInterface again = client_interface_from_bytes(to_bytes(made));
  EXPECT_EQ(again.outputs[0].addends, 2u);
  EXPECT_EQ(to_bytes(again), to_bytes(made));
  for (const std::uint32_t addends : {0u, 1025u})
    EXPECT_NE(interface_refusal([&](auto& i) {
                i.outputs.push_back(output);
                i.outputs[0].addends = addends;
              }),
              base::kNotRefused);
}

TEST(IntegerClientInterface, WithoutAddendsTheOlderFormatIsWritten) {
  const std::vector<std::uint8_t> bytes = to_bytes(interface());
  EXPECT_EQ(bytes[0], 1);
  ClientInterface made = interface();
  made.outputs[0].addends = 2;
  EXPECT_EQ(to_bytes(made)[0], 3);
}

TEST(IntegerClientInterface, AnAnnouncedInputIsPaidForWithFortyBytes) {
  const auto refused = [](std::size_t follow) {
    std::vector<std::uint8_t> bytes = to_bytes(ClientInterface{});
    EXPECT_EQ(bytes.size(), 20U);  // format and two counts
    bytes.at(4) = 1;
    bytes.resize(12 + follow);
    return base::refusal([&] { client_interface_from_bytes(bytes); });
  };
  EXPECT_EQ(refused(39), "client interface: 1 items are announced, more than follow (byte 12 of 51)");
  EXPECT_THAT(refused(40), HasSubstr("a run of equal numbers is 0, outside 1 to ")) << "that of the scale";
}

}  // namespace
}  // namespace tacit::integers
