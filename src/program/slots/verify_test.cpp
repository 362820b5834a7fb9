#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/refusal_for_test.h"
#include "layout/operators/combined.h"
#include "layout/operators/movement.h"
#include "program/array.h"
#include "program/slots/program.h"

// What `verify` asks of instructions, one by one, and how values are followed through bootstraps and copies.
namespace tacit::slots {
namespace {

using layout::Index;
using layout::Layout;
using layout::RepeatedReals;

constexpr Index kVerifiedSlots = 8;

/// So many ciphertexts whose slots are their elements.
Layout whole(Index ciphertexts) { return Layout::row_major({ciphertexts * kVerifiedSlots}, kVerifiedSlots); }
/// Twice, in one ciphertext.
Layout four() { return Layout::row_major({4}, kVerifiedSlots); }

class Writer {
 public:
  ValueId add(Operation operation, const Layout& layout) {
    program.instructions.push_back({std::move(operation), layout, "node", "made.onnx: node", 1, 2, 0x1p40});
    return static_cast<ValueId>(program.instructions.size() - 1);
  }
  Program program{.name = "made", .slots = kVerifiedSlots, .instructions = {}};
};

/// Value 0 has one ciphertext of four elements, 1 has one of eight, 2 has two and 3 has four. The operation is %4.
Program behind_four_inputs(Operation operation, const Layout& layout) {
  Writer made;
  made.add(Input{"a"}, four());
  made.add(Input{"b"}, whole(1));
  made.add(Input{"c"}, whole(2));
  made.add(Input{"d"}, whole(4));
  made.add(std::move(operation), layout);
  return made.program;
}

void takes(Operation operation, const Layout& layout) {
  EXPECT_NO_THROW(verify(behind_four_inputs(std::move(operation), layout)));
}

void refuses(Operation operation, const Layout& layout, const std::string& why) {
  const Program program = behind_four_inputs(std::move(operation), layout);
  base::expect_refusal<base::InternalError>([&] { verify(program); }, "program 'made': %4 (node): " + why);
}

TEST(Verify, TheFirstInstructionIsOneOfThem) {
  const auto refuses_first = [](Operation operation, const Layout& layout, const std::string& why) {
    Writer made;
    made.add(std::move(operation), layout);
    base::expect_refusal<base::InternalError>([&] { verify(made.program); }, "program 'made': %0 (node): " + why);
  };
  refuses_first(Drop{0}, four(), "reads %0, which is not defined yet");
  refuses_first(Input{"x", {1, 2, 3}}, four(), "units of another size");
  refuses_first(Input{"x"}, Layout::row_major({4}, 2 * kVerifiedSlots), "the layout is for another number of slots");
  Writer made;
  made.add(Input{"x", {1, 2, 3, 4}}, four());
  EXPECT_NO_THROW(verify(made.program));
}

TEST(Verify, OperandsAreValuesThatComeBefore) {
  refuses(Drop{4}, four(), "reads %4, which is not defined yet");
  refuses(Drop{5}, four(), "reads %5, which is not defined yet");
  Program program = behind_four_inputs(Output{0, "y"}, four());
  EXPECT_NO_THROW(verify(program));
  program.instructions.push_back({Drop{4}, four(), "next", "", 1, 2, 0x1p40});
  base::expect_refusal<base::InternalError>([&] { verify(program); },
                                            "%5 (next): reads %4, which is no value but an output");
}

TEST(Verify, OperandsAndResultShareALayout) {
  const std::string share = "operands and result must share one layout", one = "operand and result must share one";
  takes(Add{0, 0}, four());
  takes(Subtract{0, 0}, four());
  refuses(Add{0, 1}, four(), share);
  refuses(Add{1, 0}, four(), share);
  refuses(Add{0, 0}, whole(1), share);
  refuses(Subtract{0, 1}, four(), share);
  for (const Layout& other : {whole(1), whole(2)}) {
    refuses(Drop{0}, other, one);
    refuses(Output{0, "y"}, other, one);
    refuses(AddPlain{0, RepeatedReals(1)}, other, one);
    refuses(Polynomial{0, {0, 1}, params::PolynomialSchedule::choose(1)}, other, one);
  }
  takes(Polynomial{0, {0, 1}, params::PolynomialSchedule::choose(1)}, four());
  for (const std::vector<double>& series : {std::vector<double>{0}, {0, 1, 0}})
    refuses(Polynomial{0, series, params::PolynomialSchedule::choose(1)}, four(),
            "as many coefficients as the schedule's degree plus one");
  const std::string count = "operand and result must have equally many ciphertexts";
  takes(Rotate{0, 1}, whole(1));
  refuses(Rotate{0, 1}, whole(2), count);
  takes(RotateSum{0, {1, 7, -9}}, four());
  refuses(RotateSum{0, {1}}, whole(2), count);
  for (const std::int64_t steps : {0, 8, -16})
    refuses(RotateSum{0, {1, steps}}, four(), "a sum of rotations rotates by 0");
}

TEST(Verify, SumsMakeOneCiphertextOfTheirTerms) {
  const std::string sums = "the result must have one ciphertext for every sum";
  const auto both = [](ValueId input, Index terms, const Layout& layout, const auto& check) {
    check(Sum{input, terms}, layout);
    check(Multiply{input, input, terms}, layout);
    check(MultiplyPlain{input, RepeatedReals(2), terms}, layout);
  };
  const auto fine = [](const Operation& operation, const Layout& layout) { takes(operation, layout); };
  const auto wrong = [&](const Operation& operation, const Layout& layout) { refuses(operation, layout, sums); };
  both(3, 2, whole(2), fine);
  both(3, 4, whole(1), fine);
  both(3, 4, four(), fine);  // whatever its elements are called
  both(3, 1, whole(4), fine);
  both(3, 0, whole(4), wrong);
  both(3, 3, whole(1), wrong);
  both(3, 2, whole(4), wrong);
  both(3, 8, whole(1), wrong);
  both(1, 1, four(), [](const Operation& operation, const Layout& layout) {
    refuses(operation, layout, "operand and result must share one layout");
  });
  refuses(Multiply{0, 1}, four(), "the operands must share one layout");
}

TEST(Verify, NumbersRepeatAWholeNumberOfTimesOverTheElements) {
  for (const RepeatedReals& numbers :
       {RepeatedReals(3), RepeatedReals({1, 2}, 1), RepeatedReals({1, 2}, 2), RepeatedReals({1, 2, 3, 4}, 1)}) {
    takes(AddPlain{0, numbers}, four());
    takes(MultiplyPlain{0, numbers}, four());
  }
  for (const RepeatedReals& numbers :
       {RepeatedReals({1, 2, 3}, 1), RepeatedReals({1, 2}, 4), RepeatedReals({1, 2, 3, 4}, 2)}) {
    refuses(AddPlain{0, numbers}, four(), "addend of another size");
    refuses(MultiplyPlain{0, numbers}, four(), "factor of another size");
  }
  // A factor is one of the operand's elements, of which there may be more than sums.
  takes(MultiplyPlain{2, RepeatedReals({1, 2}, 8), 2}, whole(1));
  refuses(MultiplyPlain{2, RepeatedReals({1, 2}, 16), 2}, whole(1), "factor of another size");
}

TEST(Verify, GathersStayWithinTheirValues) {
  const std::string beyond = "a part reaches beyond its value";
  takes(Gather{{{3, {2}, {1}, 2}, {2, {2}, {1}, 0}}}, whole(4));
  takes(Gather{{{3, {2, 2}, {2, 1}, 0}}}, whole(4));
  refuses(Gather{{{3, {2}, {1}, 3}}}, whole(2), beyond);
  refuses(Gather{{{3, {2, 2}, {3, 1}, 0}}}, whole(4), beyond);
  refuses(Gather{{{3, {}, {}, 4}}}, whole(1), beyond);
  refuses(Gather{{{3, {}, {}, -1}}}, whole(1), beyond);
  takes(Gather{{{3, {}, {}, 3}}}, whole(1));
  refuses(Gather{{{3, {1}, {}, 0}}}, whole(1), beyond);
  refuses(Gather{{{3, {0}, {1}, 0}}}, whole(1), beyond);
  refuses(Gather{{{3, {1}, {-1}, 0}}}, whole(1), beyond);
  refuses(Gather{{{3, {2}, {1}, 0}}}, whole(1), "gathers another number of ciphertexts than its layout has");
  // As many dimensions as a view has, and no more.
  const std::size_t rank = program::View::kMaxRank;
  const auto of_rank = [](std::size_t dims) {
    return Gather{{{3, std::vector<Index>(dims, 1), std::vector<Index>(dims, 1), 0}}};
  };
  takes(of_rank(rank), whole(1));
  refuses(of_rank(rank + 1), whole(1), beyond);
  // Numbers whose products stay below 2^63.
  const Index most = Index{1} << 31;
  const std::string others = "gathers another number of ciphertexts";
  takes(Gather{{{3, {1}, {most}, 0}}}, whole(1));
  refuses(Gather{{{3, {1}, {most + 1}, 0}}}, whole(1), beyond);
  refuses(Gather{{{3, {most}, {0}, 0}}}, whole(1), others);
  refuses(Gather{{{3, {most + 1}, {0}, 0}}}, whole(1), beyond);
  refuses(Gather{{{3, {most / 2, 2}, {0, 0}, 0}}}, whole(1), others);
  refuses(Gather{{{3, {most / 2, 4}, {0, 0}, 0}}}, whole(1), beyond);
}

Linear copy_of(ValueId input, const Layout& in, const Layout& out,
               params::LinearSchedule schedule = {{{0, 0, 0}}, {}}) {
  return {{{input, {in, out, std::make_shared<layout::Identity>(in.shape(), out.shape())}, std::move(schedule)}}, {}};
}

TEST(Verify, LinearMapsFitTheirLayoutsAndSlots) {
  takes(copy_of(0, four(), four()), four());
  refuses(Linear{}, four(), "a linear instruction needs a term");
  Linear none = copy_of(0, four(), four());
  none.terms[0].map.op = nullptr;
  refuses(none, four(), "a term has no operator");
  for (const layout::Shape& shape : {layout::Shape{3}, layout::Shape{8}}) {
    Linear other = copy_of(0, four(), four());
    other.terms[0].map.op = std::make_shared<layout::Identity>(shape);
    refuses(other, four(), "a term's operator has another size than its layouts");
  }
  Linear wider = copy_of(0, four(), four());
  wider.terms[0].map.op =
      std::make_shared<layout::Gather>(layout::Shape{4}, layout::Shape{8}, std::vector<Index>(8, 0));
  refuses(wider, four(), "a term's operator has another size than its layouts");
  refuses(copy_of(1, four(), four()), four(), "a term's input lies in another layout");
  refuses(copy_of(1, whole(1), whole(1)), whole(1).filled(layout::Fill::unknown), "a term's output lies in another");
  // Every term is looked at.
  Linear second = copy_of(0, four(), four());
  second.terms.push_back(copy_of(1, four(), four()).terms[0]);
  refuses(second, four(), "a term's input lies in another layout");
}

TEST(Verify, SchedulesRotateByLessThanTheSlots) {
  using Schedule = params::LinearSchedule;
  for (const Schedule& schedule :
       {Schedule{{{7, 3, 4}, {1, 4, 5}, {0, 0, 0}}, {}}, Schedule{{{7, 7, 0}, {7, 0, 7}}, {7, 1}}})
    takes(copy_of(0, four(), four(), schedule), four());
  for (const Schedule& schedule :
       {Schedule{{{8, 8, 0}}, {}}, Schedule{{{0, 8, 0}}, {}}, Schedule{{{0, 0, 8}}, {}}, Schedule{{{-1, -1, 0}}, {}},
        Schedule{{{3, 4, -1}}, {}}, Schedule{{{3, -1, 4}}, {}}, Schedule{{{3, 1, 1}}, {}},
        Schedule{{{0, 0, 0}, {3, 4, 0}}, {}}, Schedule{{{0, 0, 0}}, {0}}, Schedule{{{0, 0, 0}}, {8}},
        Schedule{{{0, 0, 0}}, {4, -4}}}) {
    refuses(copy_of(0, four(), four(), schedule), four(), "a term's schedule does not fit the slots");
    if (!schedule.folds.empty()) continue;
    Bootstrap first{{1}, {}}, last{{1}, {}};
    first.schedule.slots_to_coefficients.push_back({0, 1, 2, schedule});
    last.schedule.coefficients_to_slots.push_back({0, 1, 2, schedule});
    refuses(first, whole(1), "a transform's schedule does not fit the slots");
    refuses(last, whole(1), "a transform's schedule does not fit the slots");
  }
}

TEST(Verify, BootstrapsMakeWhatTheyRead) {
  const std::string many = "a bootstrap makes as many ciphertexts as it reads";
  takes(Bootstrap{{1}, {}}, whole(1));
  takes(Bootstrap{{1, 2}, {}}, whole(3));
  refuses(Bootstrap{{}, {}}, whole(1), many);
  refuses(Bootstrap{{1, 2}, {}}, whole(2), many);
  refuses(Bootstrap{{1, 2}, {}}, whole(4), many);
  refuses(Bootstrap{{1}, {}}, four(), "operand and result must share one layout");
}

TEST(FollowedValues, AreThoseThatABootstrapOfSeveralRefreshed) {
  Writer made;
  const ValueId two = made.add(Input{"two"}, whole(2)), one = made.add(Input{"one"}, whole(1));
  const ValueId both = made.add(Bootstrap{{two, one}, {}}, whole(3));
  const ValueId fresh_two = made.add(Gather{{{both, {2}, {1}, 0}}}, whole(2)),
                fresh_one = made.add(Gather{{{both, {1}, {1}, 2}}}, whole(1)),
                neither = made.add(Gather{{{both, {2}, {1}, 1}}}, whole(2)),
                backwards = made.add(Gather{{{both, {2}, {0}, 0}}}, whole(2)),
                again = made.add(Gather{{{fresh_two, {2}, {1}, 0}}}, whole(2)),
                joined = made.add(Gather{{{both, {1}, {1}, 2}, {both, {1}, {1}, 0}}}, whole(2));
  const ValueId alone = made.add(Bootstrap{{fresh_one}, {}}, whole(1)),
                unread = made.add(Bootstrap{{two, one}, {}}, whole(3));
  const Program& program = made.program;
  EXPECT_NO_THROW(verify(program));
  EXPECT_EQ(program.computed_by(two), two);
  for (const ValueId id : {both, fresh_two, fresh_one, neither, again}) EXPECT_EQ(program.computed_by(id), both);
  EXPECT_EQ(program.computed_by(joined), joined);

  EXPECT_EQ(refreshed_from(program, fresh_two), two);
  EXPECT_EQ(refreshed_from(program, fresh_one), one);
  EXPECT_EQ(refreshed_from(program, alone), fresh_one);
  for (const ValueId id : {two, both, neither, backwards, again, joined, unread})
    EXPECT_EQ(refreshed_from(program, id), std::nullopt) << id;
  EXPECT_EQ(refreshed_as(program, both, two), fresh_two);
  EXPECT_EQ(refreshed_as(program, both, one), fresh_one);
  EXPECT_EQ(refreshed_as(program, alone, fresh_one), alone);
  EXPECT_EQ(refreshed_as(program, unread, one), unread);
}

TEST(FollowedValues, AreCopiesWhereEveryElementIsTakenAsItIs) {
  const auto copied = [](Operation operation) {
    return copied_from(behind_four_inputs(std::move(operation), four()), 4);
  };
  EXPECT_EQ(copied(MultiplyPlain{0, RepeatedReals(1)}), ValueId{0});
  EXPECT_EQ(copied(MultiplyPlain{0, RepeatedReals(2)}), std::nullopt);
  EXPECT_EQ(copied(MultiplyPlain{0, RepeatedReals({1, 2}, 1)}), std::nullopt);
  EXPECT_EQ(copied(MultiplyPlain{3, RepeatedReals(1), 4}), std::nullopt);
  EXPECT_EQ(copied(copy_of(0, four(), four())), ValueId{0});
  Linear moved = copy_of(0, four(), four());
  moved.bias = RepeatedReals(0.5);
  EXPECT_EQ(copied(moved), std::nullopt);
  Linear doubled = copy_of(0, four(), four());
  doubled.terms.push_back(doubled.terms[0]);
  EXPECT_EQ(copied(doubled), std::nullopt);
  Linear larger = copy_of(0, four(), four());
  larger.terms[0].map.op = scaled(larger.terms[0].map.op, RepeatedReals(2));
  EXPECT_EQ(copied(larger), std::nullopt);
  EXPECT_EQ(copied(Rotate{0, 1}), std::nullopt);
}

TEST(Levels, AreWhatInstructionsTakeBetweenBootstraps) {
  const auto series = params::PolynomialSchedule::choose(3);
  EXPECT_EQ(series.depth, 2);
  EXPECT_EQ(depth(Polynomial{0, {0, 1, 0, 1}, series}), 2);
  for (const Operation& one : {Operation(Linear{}), Operation(Multiply{0, 0}), Operation(Drop{0}),
                               Operation(MultiplyPlain{0, RepeatedReals(1)})})
    EXPECT_EQ(depth(one), 1) << mnemonic(one);
  for (const Operation& none :
       {Operation(Input{"x"}), Operation(Output{0, "y"}), Operation(Add{0, 0}), Operation(Subtract{0, 0}),
        Operation(AddPlain{0, RepeatedReals(1)}), Operation(Sum{0, 1}), Operation(Rotate{0, 1}),
        Operation(RotateSum{0, {1}}), Operation(Gather{}), Operation(Bootstrap{}), Operation(Validate{})})
    EXPECT_EQ(depth(none), 0) << mnemonic(none);
  Bootstrap low{{0}, {}};
  low.schedule.input_level = 1;
  EXPECT_EQ(operand_level({low, four(), "", "", 0, 7, 1}), 1);
  EXPECT_EQ(operand_level({Drop{0}, four(), "", "", 0, 7, 1}), 8);
  EXPECT_EQ(operand_level({Polynomial{0, {0, 1, 0, 1}, series}, four(), "", "", 0, 7, 1}), 9);
  EXPECT_EQ(operand_level({Rotate{0, 1}, four(), "", "", 0, 7, 1}), 7);

  Writer made;
  made.add(Input{"x"}, whole(1));
  EXPECT_EQ(total_depth(made.program), 0);
  made.add(Multiply{0, 0}, whole(1));
  EXPECT_EQ(total_depth(made.program), 1);
  made.add(Bootstrap{{1}, {}}, whole(1));
  made.add(Polynomial{2, {0, 1, 0, 1}, series}, whole(1));
  EXPECT_EQ(total_depth(made.program), 2);
  made.add(Add{3, 2}, whole(1));
  made.add(Drop{4}, whole(1));
  EXPECT_EQ(total_depth(made.program), 3);
  made.add(Drop{1}, whole(1));
  EXPECT_EQ(total_depth(made.program), 3);  // the deepest, not the last
}

TEST(ProgramText, SaysWhatEveryInstructionDoes) {
  Writer made;
  const std::string in_four = "[4] across() within(copy:2 d0:4/1) junk() level 2  # node\n",
                    in_two = "[16] across(d0:2/8) within(d0:8/1) junk() level 2  # node\n",
                    in_one = "[8] across() within(d0:8/1) junk() level 2  # node\n";
  std::string expected = "program made slots 8\n";
  const auto add = [&](Operation operation, const Layout& layout, const std::string& line, const std::string& where) {
    expected += "%" + std::to_string(made.program.instructions.size()) + " = " + line + " : " + where;
    made.add(std::move(operation), layout);
  };
  add(Input{"x"}, four(), "input \"x\"", in_four);
  add(Input{"z"}, whole(2), "input \"z\"", in_two);
  Linear sum = copy_of(0, four(), four(), {{{0, 0, 0}, {3, 1, 2}}, {4}});
  sum.terms.push_back(copy_of(0, four(), four(), {{{0, 0, 0}}, {4, 2}}).terms[0]);
  add(sum, four(), "linear %0 %0 diagonals 3 folds 3", in_four);
  add(Polynomial{2, std::vector<double>(8, 1.0), {7, 2, 3}}, four(), "polynomial %2 degree 7 babies 2^2", in_four);
  add(Multiply{2, 3}, four(), "multiply %2 %3", in_four);
  add(Multiply{1, 1, 2}, whole(1), "multiply %1 %1 terms 2", in_one);
  add(MultiplyPlain{0, RepeatedReals(2)}, four(), "multiply_plain %0", in_four);
  add(MultiplyPlain{1, RepeatedReals(2), 2}, whole(1), "multiply_plain %1 terms 2", in_one);
  add(Sum{1, 1}, whole(2), "sum %1 terms 1", in_two);
  add(Rotate{0, -3}, four(), "rotate %0 by -3", in_four);
  add(RotateSum{0, {1, 5}}, four(), "rotate_sum %0 by 1,5", in_four);
  add(Gather{{{1, {2, 1}, {1, 3}, 0}, {1, {}, {}, 1}}}, whole(3), "gather %1 %1 [0 + 2,1 x 1,3] [1 +  x ]",
      "[24] across(d0:3/8) within(d0:8/1) junk() level 2  # node\n");
  Validate check{4, Detail::vector, 3, -2.5};
  check.arguments = {2, 3};
  add(check, four(), "validate %4 %2 %3 vector length 3 epsilon -2.5", in_four);
  check.meaning.tensor = "product";
  add(check, four(), "validate %4 %2 %3 vector length 3 epsilon -2.5 \"product\"", in_four);
  for (const auto& [form, name] :
       {std::pair(params::BootstrapForm::folded, "folded"), {params::BootstrapForm::linear, "linear"}}) {
    Bootstrap bootstrap{{0}, {}};
    bootstrap.schedule.form = form;
    bootstrap.schedule.log_ratio = 5;
    bootstrap.schedule.input_level = 1;
    bootstrap.schedule.output_level = 9;
    add(bootstrap, four(), std::string("bootstrap %0 ratio 2^5 ") + name + " from level 1 to 9", in_four);
  }
  add(Output{4, "y"}, four(), "output %4 \"y\"", in_four);
  EXPECT_EQ(to_text(made.program), expected);
}

}  // namespace
}  // namespace tacit::slots
