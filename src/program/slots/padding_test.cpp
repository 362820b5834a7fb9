#include "program/slots/padding.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tacit::slots {
namespace {

using layout::Layout;

/// Three elements in eight slots.
const Layout& three() {
  static const Layout made = Layout::row_major({3}, 8);
  return made;
}

/// An input, what a linear map leaves beside its elements, and a rotation of the input; then what is asked of.
std::vector<Padding> padding_behind(std::vector<Operation> operations) {
  Program program{.name = "made", .slots = 8, .instructions = {}};
  const auto add = [&](Operation operation, const Layout& layout) {
    program.instructions.push_back({std::move(operation), layout, "node", "", 1, 1, 1});
  };
  const Layout unknown = three().filled(layout::Fill::unknown);
  add(Input{"x"}, three());
  add(Linear{{{0, {three(), unknown, nullptr}, {}}}, {}}, unknown);
  add(Rotate{0, 1}, three());
  for (Operation& operation : operations) add(std::move(operation), three());
  return padding_of(program);
}
/// Of one operation more, whose operands are those.
Padding padding_of_one(Operation operation) { return padding_behind({std::move(operation)}).back(); }

constexpr ValueId kZero = 0, kUndeclared = 1, kDeclared = 2;

TEST(Padding, InputsHaveZerosAndMapsWhatTheirLayoutSays) {
  const std::vector<Padding> padding = padding_behind({});
  EXPECT_EQ(padding[kZero], Padding::zero);
  EXPECT_EQ(padding[kUndeclared], Padding::unknown);
  EXPECT_EQ(padding[kDeclared], Padding::as_declared);
  EXPECT_EQ(padding_of_one(Linear{{{kUndeclared, {three(), three(), nullptr}, {}}}, {}}), Padding::zero);
  EXPECT_EQ(padding_of_one(MultiplyPlain{kUndeclared, layout::RepeatedReals(2)}), Padding::zero);
}

TEST(Padding, RotationsLeaveWhatLayoutsSayOrWorse) {
  EXPECT_EQ(padding_of_one(Rotate{kUndeclared, 1}), Padding::unknown);
  EXPECT_EQ(padding_of_one(RotateSum{kZero, {1, 2}}), Padding::as_declared);
  EXPECT_EQ(padding_of_one(RotateSum{kUndeclared, {1, 2}}), Padding::unknown);
}

TEST(Padding, OthersHaveTheWorstOfTheirOperands) {
  EXPECT_EQ(padding_of_one(Add{kZero, kZero}), Padding::zero);
  EXPECT_EQ(padding_of_one(Add{kZero, kDeclared}), Padding::as_declared);
  EXPECT_EQ(padding_of_one(Add{kUndeclared, kDeclared}), Padding::unknown);
  EXPECT_EQ(padding_of_one(Multiply{kDeclared, kUndeclared}), Padding::unknown);
  EXPECT_EQ(padding_of_one(Sum{kDeclared, 1}), Padding::as_declared);
  EXPECT_EQ(padding_of_one(Drop{kUndeclared}), Padding::unknown);
  EXPECT_EQ(padding_of_one(AddPlain{kZero, layout::RepeatedReals(2)}), Padding::zero);
  EXPECT_EQ(padding_of_one(Gather{{{kZero, {1}, {1}, 0}, {kDeclared, {1}, {1}, 0}}}), Padding::as_declared);
}

TEST(Padding, SeriesLeaveZerosWhereTheyMakeZeroOfZero) {
  const auto of_series = [](ValueId input, std::vector<double> coefficients) {
    return padding_of_one(Polynomial{input, std::move(coefficients), {}});
  };
  EXPECT_EQ(of_series(kZero, {0, 1}), Padding::zero);
  EXPECT_EQ(of_series(kZero, {1, 2, 1}), Padding::zero);  // T_2(0) is -1
  EXPECT_EQ(of_series(kZero, {1, 1}), Padding::bounded);
  EXPECT_EQ(of_series(kZero, {0x1p-40, 1}), Padding::zero);
  EXPECT_EQ(of_series(kZero, {0x1p-39, 1}), Padding::bounded);
  EXPECT_EQ(of_series(kZero, {-0x1p-39, 1}), Padding::bounded);
  EXPECT_EQ(of_series(kDeclared, {0, 1}), Padding::bounded);
  EXPECT_EQ(of_series(kUndeclared, {0, 1}), Padding::bounded);
}

TEST(Padding, OfSeveralThatAreRefreshedTogetherEachKeepsItsOwn) {
  const std::vector<Padding> padding = padding_behind({Bootstrap{{kZero, kDeclared}, {}}, Gather{{{3, {1}, {1}, 0}}},
                                                       Gather{{{3, {1}, {1}, 1}}}, Gather{{{3, {2}, {1}, 0}}}});
  EXPECT_EQ(padding[3], Padding::as_declared);
  EXPECT_EQ(padding[4], Padding::zero);
  EXPECT_EQ(padding[5], Padding::as_declared);
  EXPECT_EQ(padding[6], Padding::as_declared);
}

}  // namespace
}  // namespace tacit::slots
