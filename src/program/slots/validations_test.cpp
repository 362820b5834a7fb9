#include "program/slots/validations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace tacit::slots {
namespace {

using layout::Layout;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// x, y, x + y, their product with x, and the output of that.
Program program() {
  Program made{.name = "made", .slots = 8, .instructions = {}};
  const auto add = [&](Operation operation) {
    made.instructions.push_back(
        {std::move(operation), Layout::row_major({2, 6}, 8), "node", "made.onnx: node", 3, 2, 0x1p40});
  };
  add(Input{"x"});
  add(Input{"y"});
  add(Add{0, 1});
  add(Multiply{2, 0});
  add(Output{3, "z"});
  return made;
}

/// Of the sum, against its instruction.
Validate of_sum(Detail detail = Detail::vector) {
  Validate validate{2, detail, 12, -4};
  validate.arguments = {0, 1};
  if (detail == Detail::network) {
    validate.meaning.tensor = "sum";
    validate.argument_meanings.resize(2);
    validate.argument_meanings[0].tensor = "x";
    validate.argument_meanings[1].tensor = "y";
  }
  return validate;
}

TEST(Validations, LengthsAreElementsOrSlots) {
  const Instruction sum = program().instructions[2];
  EXPECT_EQ(most_length(sum, Detail::network), 12);
  EXPECT_EQ(most_length(sum, Detail::vector), 12);
  EXPECT_EQ(most_length(sum, Detail::instruction), 16);  // two ciphertexts of eight
}

TEST(Validations, WhatCannotStandSaysWhy) {
  const Program made = program();
  const auto why = [&](const auto& change, Detail detail = Detail::vector, ValueId at = 4) {
    Validate validate = of_sum(detail);
    change(validate);
    return why_not(made, at, validate);
  };
  const auto nothing = [](Validate&) {};
  for (const Detail detail : {Detail::network, Detail::vector, Detail::instruction})
    EXPECT_EQ(why(nothing, detail), "") << name(detail);
  // It stands behind its value, and outputs are none.
  EXPECT_EQ(why(nothing, Detail::vector, 3), "");
  EXPECT_THAT(why(nothing, Detail::vector, 2), HasSubstr("%2 is no value that can be validated here"));
  EXPECT_THAT(why([](Validate& v) { v.value = 4; }, Detail::vector, 5), HasSubstr("%4 is no value"));
  EXPECT_THAT(why([](Validate& v) { v.value = 9; }, Detail::vector, 12), HasSubstr("%9 is no value"));
  // Arguments come before their value.
  for (const ValueId argument : {2u, 3u, 7u})
    EXPECT_THAT(why([&](Validate& v) { v.arguments[1] = argument; }),
                HasSubstr("the message of %2 cannot read %" + std::to_string(argument)));
  EXPECT_THAT(why([](Validate& v) { v.arguments.clear(); }), HasSubstr("%2 (add) reads no value"));
  EXPECT_THAT(why([](Validate& v) { v.arguments.pop_back(); }), HasSubstr("must read what its instruction reads"));
  for (const layout::Index length : {0, 13})
    EXPECT_THAT(why([&](Validate& v) { v.length = length; }),
                HasSubstr("over " + std::to_string(length) + " elements does not fit; it has 12"));
  for (const layout::Index length : {1, 12}) EXPECT_EQ(why([&](Validate& v) { v.length = length; }), "");
  EXPECT_EQ(why([](Validate& v) { v.length = 16; }, Detail::instruction), "");
  EXPECT_THAT(why([](Validate& v) { v.length = 17; }, Detail::instruction), HasSubstr("it has 16"));
  for (const double epsilon : {-15.0, 15.0}) EXPECT_EQ(why([&](Validate& v) { v.epsilon = epsilon; }), "");
  for (const double epsilon : {-15.1, 15.1, std::nan("")})
    EXPECT_THAT(why([&](Validate& v) { v.epsilon = epsilon; }), HasSubstr("is no exponent of a tolerance"));
}

TEST(Validations, AgainstTheNetworkTensorsAreKnown) {
  const Program made = program();
  const auto why = [&](const auto& change) {
    Validate validate = of_sum(Detail::network);
    change(validate);
    return why_not(made, 4, validate);
  };
  const char* const kUnknown = "needs to know which tensors it and its arguments are";
  EXPECT_THAT(why([](Validate& v) { v.meaning.tensor.clear(); }), HasSubstr(kUnknown));
  EXPECT_THAT(why([](Validate& v) { v.argument_meanings.pop_back(); }), HasSubstr(kUnknown));
  EXPECT_THAT(why([](Validate& v) { v.argument_meanings[1].tensor.clear(); }),
              HasSubstr("does not know which tensor %1 is"));
  // One factor, or one an element; none is 0.
  EXPECT_EQ(why([](Validate& v) { v.meaning.factors.assign(12, 2.0); }), "");
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::size_t count : {0, 2, 11, 13})
    EXPECT_THAT(why([&](Validate& v) { v.meaning.factors.assign(count, 2.0); }), HasSubstr(kUnknown)) << count;
  for (const double factor : {0.0, infinity})
    EXPECT_THAT(why([&](Validate& v) { v.meaning.factors = {factor}; }), HasSubstr(kUnknown));
  EXPECT_THAT(why([&](Validate& v) { v.meaning.offset = infinity; }), HasSubstr(kUnknown));
  // Its arguments need not be those of the instruction: an operator of the model may be several of them.
  EXPECT_EQ(why([](Validate& v) { v.value = 3; }), "");
}

TEST(Validations, StandBehindTheirValuesAndGoWithoutATrace) {
  const Program plain = program();
  Validate product{3, Detail::vector, 5, -3};
  product.arguments = {2, 0};
  EXPECT_FALSE(has_validations(plain));
  const Program with = with_validations(plain, {product, of_sum()});
  EXPECT_TRUE(has_validations(with));
  ASSERT_EQ(with.instructions.size(), 7u);
  const auto& of_two = std::get<Validate>(with.instructions[3].operation);
  EXPECT_EQ(of_two.value, 2u);
  EXPECT_THAT(of_two.arguments, ElementsAre(0u, 1u));
  // Behind it everything counts one more.
  const auto& multiply = std::get<Multiply>(with.instructions[4].operation);
  EXPECT_EQ(multiply.left, 2u);
  EXPECT_EQ(multiply.right, 0u);
  const auto& of_three = std::get<Validate>(with.instructions[5].operation);
  EXPECT_EQ(of_three.value, 4u);
  EXPECT_EQ(of_three.length, 5);
  EXPECT_EQ(of_three.epsilon, -3);
  EXPECT_THAT(of_three.arguments, ElementsAre(2u, 0u));
  EXPECT_EQ(with.instructions[5].bound, 3);
  EXPECT_EQ(with.instructions[5].level, 2);
  EXPECT_EQ(with.instructions[5].scale, 0x1p40);
  EXPECT_EQ(std::get<Output>(with.instructions[6].operation).input, 4u);
  Validate wrong = of_sum();
  wrong.length = 13;
  EXPECT_THAT([&] { with_validations(plain, {wrong}); }, ThrowsMessage<base::InputError>(HasSubstr("does not fit")));
}

TEST(Validations, AProgramIsValidatedAsItIsWritten) {
  Program made = program();
  made.instructions.pop_back();
  EXPECT_EQ(made.validate(3, 16, -5), 4u);
  const auto& added = std::get<Validate>(made.instructions[4].operation);
  EXPECT_EQ(added.detail, Detail::instruction);
  EXPECT_THAT(added.arguments, ElementsAre(2u, 0u));
  EXPECT_THAT([&] { made.validate(3, 17, -5); }, ThrowsMessage<base::InputError>(HasSubstr("it has 16")));
  EXPECT_THROW(made.validate(0, 4, -5), base::InputError);  // an input reads nothing
  EXPECT_THROW(made.validate(4, 4, -5), base::InputError);
  EXPECT_THROW(made.validate(5, 4, -5), base::InputError);
  EXPECT_EQ(made.instructions.size(), 5u);
}

TEST(Validations, DetailsHaveNames) {
  using program::detail_named;
  for (const Detail detail : {Detail::network, Detail::vector, Detail::instruction})
    EXPECT_EQ(detail_named(name(detail)), detail);
  EXPECT_EQ(detail_named("nn"), Detail::network);
  EXPECT_EQ(detail_named("all"), std::nullopt);
}

}  // namespace
}  // namespace tacit::slots
