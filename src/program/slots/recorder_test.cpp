#include "program/slots/recorder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "layout/operators/movement.h"

// What calls are written down as. That recordings give what their calls do is tested in runtime/slots.
namespace tacit::slots {
namespace {

using layout::Index;
using layout::Layout;

constexpr Landing kTo{2, 1024};

TEST(Recorder, ACallIsAnInstructionAndAnotherViewAGather) {
  const auto recorder = Recorder::make("rec", 8, 100);
  EXPECT_EQ(recorder->slots(), 8);
  EXPECT_EQ(recorder->ciphertext_bytes(3), 2 * 4 * 100);
  const Layout four = Layout::row_major({4}, 8), two = Layout::row_major({16}, 8);
  const ArrayPtr x = recorder->encrypt(four, {}, kTo), y = recorder->encrypt(two, {}, kTo);
  const ArrayPtr sum = recorder->sum(View::whole(y), 2, kTo);  // y has the layout of its slots: nothing is gathered
  EXPECT_EQ(sum->count(), 1);
  EXPECT_EQ(sum->level(), 2);
  recorder->rotate(View::whole(x), 3, kTo);
  View second = View::whole(y);
  second.offset = second.extents[0] = 1;
  const ArrayPtr both = recorder->add(second, View::whole(sum), kTo);
  const ArrayPtr numbers = recorder->encode_addend(
      1, [](Index) { return std::vector<double>(8, 2.0); }, kTo);
  recorder->add_plain(View::whole(both), View::whole(numbers), kTo);
  // Two ciphertexts as two rows are whole, and the other way round they are not.
  View rows;
  rows.array = y;
  rows.add_dimension(1, 7);
  rows.add_dimension(2, 1);
  View twice;
  twice.array = y;
  twice.add_dimension(2, 0);
  recorder->subtract(rows, twice, {1, 512});
  recorder->output(View::whole(both), four, "z");
  const std::string one = "[8] across() within(d0:8/1) junk() level 2  # ",
                    pair = "[16] across(d0:2/8) within(d0:8/1) junk() level ",
                    small = "[4] across() within(copy:2 d0:4/1) junk() level 2  # ";
  const Program& program = recorder->program();
  EXPECT_EQ(to_text(program),
            "program rec slots 8\n"
            "%0 = input \"input0\" : " +
                small +
                "input0\n"
                "%1 = input \"input1\" : " +
                pair +
                "2  # input1\n"
                "%2 = sum %1 terms 2 : " +
                one +
                "sum2\n"
                "%3 = gather %0 [0 + 1 x 1] : " +
                one +
                "gather3\n"
                "%4 = rotate %3 by 3 : " +
                one +
                "rotate4\n"
                "%5 = gather %1 [1 + 1 x 1] : " +
                one +
                "gather5\n"
                "%6 = add %5 %2 : " +
                one +
                "add6\n"
                "%7 = add_plain %6 : " +
                one +
                "add_plain7\n"
                "%8 = gather %1 [0 + 2 x 0] : " +
                pair +
                "2  # gather8\n"
                "%9 = subtract %1 %8 : " +
                pair +
                "1  # subtract9\n"
                "%10 = gather %6 [0 + 1 x 1] : " +
                small +
                "gather10\n"
                "%11 = output %10 \"z\" : " +
                small + "output11\n");
  EXPECT_TRUE(std::get<AddPlain>(program.value(7).operation).addend.all_equal(2));
  EXPECT_EQ(program.value(2).source, "rec: sum2");
  EXPECT_EQ(program.value(2).scale, 1024);
  EXPECT_EQ(program.value(9).scale, 512);
  EXPECT_EQ(program.value(11).scale, 1024);
  EXPECT_THROW(recorder->decrypt(View::whole(both), Decoding::exact), base::InputError);
}

/// A view of these members; of one dimension.
View slice(const ArrayPtr& array, Index offset, Index extent, Index stride) {
  View view;
  view.array = array;
  view.offset = offset;
  view.add_dimension(extent, stride);
  return view;
}

TEST(Recorder, OnlyAllMembersInOrderAreAWholeArray) {
  const auto gathered = [](Index offset, Index extent, Index stride) {
    const auto recorder = Recorder::make("rec", 8, 100);
    const ArrayPtr x = recorder->encrypt(Layout::row_major({16}, 8), {}, kTo);
    recorder->drop(slice(x, offset, extent, stride), {1, 512});
    const Program& program = recorder->program();
    if (program.instructions.size() == 2) return std::string("whole");
    const GatherPart& part = std::get<Gather>(program.value(1).operation).parts.at(0);
    return fmt::format("{} + {} x {}, {} ciphertexts", part.offset, part.extents.at(0), part.strides.at(0),
                       program.value(1).layout.ciphertexts());
  };
  EXPECT_EQ(gathered(0, 2, 1), "whole");
  EXPECT_EQ(gathered(0, 1, 1), "0 + 1 x 1, 1 ciphertexts");
  EXPECT_EQ(gathered(0, 3, 0), "0 + 3 x 0, 3 ciphertexts");
  EXPECT_EQ(gathered(1, 2, 0), "1 + 2 x 0, 2 ciphertexts");
  EXPECT_EQ(gathered(1, 2, -1), "1 + 2 x -1, 2 ciphertexts");
}

TEST(Recorder, EveryCallBecomesItsInstruction) {
  const auto recorder = Recorder::make("rec", 8, 100);
  const ArrayPtr x = recorder->encrypt(Layout::row_major({48}, 8), {}, kTo);
  const View six = View::whole(x);
  const SlotsOf member = [](Index i) { return std::vector<double>(8, static_cast<double>(i)); };
  const auto made = [&](const ArrayPtr& array, Index count, int level) -> const Instruction& {
    EXPECT_EQ(array->count(), count);
    EXPECT_EQ(array->level(), level);
    return recorder->program().instructions.back();
  };
  EXPECT_EQ(std::get<Multiply>(made(recorder->multiply_sum(six, six, 3, {1, 7}), 2, 1).operation).terms, 3);
  // A factor is a constant of its operand's level, and a view of constants picks some of them.
  const ArrayPtr factors = recorder->encode_factor(6, member, kTo, {1, 7});
  EXPECT_EQ(factors->level(), kTo.level);
  EXPECT_EQ(factors->count(), 6);
  const auto& product =
      std::get<MultiplyPlain>(made(recorder->multiply_plain_sum(six, View::whole(factors), 2, {1, 7}), 3, 1).operation);
  EXPECT_EQ(product.terms, 2);
  const std::vector<double> values = product.factor.expanded(48);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], i / 8) << i;
  const auto& added = std::get<AddPlain>(made(recorder->add_plain(six, slice(factors, 5, 6, 0), kTo), 6, 2).operation);
  EXPECT_TRUE(added.addend.all_equal(5));
  EXPECT_EQ(std::get<Sum>(made(recorder->sum(six, 6, kTo), 1, 2).operation).terms, 6);
  EXPECT_EQ(std::get<Rotate>(made(recorder->rotate(six, -3, kTo), 6, 2).operation).steps, -3);
  const std::vector<std::int64_t> steps{1, -2};
  EXPECT_EQ(std::get<RotateSum>(made(recorder->rotate_sum(six, steps, kTo), 6, 2).operation).steps, steps);
  const std::vector<double> series{0, 1, 0, 1};
  const auto schedule = params::PolynomialSchedule::choose(3);
  const auto& polynomial =
      std::get<Polynomial>(made(recorder->polynomial(six, series, schedule, {0, 7}), 6, 0).operation);
  EXPECT_EQ(polynomial.coefficients, series);
  EXPECT_EQ(polynomial.schedule, schedule);
  const View parts[] = {slice(x, 1, 2, 1), six};
  EXPECT_EQ(std::get<Gather>(made(recorder->gather(parts, kTo), 8, 2).operation).parts.size(), 2U);
  params::BootstrapSchedule refresh;
  refresh.output_level = 9;
  const Instruction bootstrap = made(recorder->bootstrap(parts, refresh, {9, 7}), 8, 9);
  EXPECT_EQ(std::get<Bootstrap>(bootstrap.operation).schedule.output_level, 9);
  EXPECT_EQ(std::get<Bootstrap>(bootstrap.operation).inputs.size(), 2U);
  EXPECT_EQ(bootstrap.layout.ciphertexts(), 8);
  EXPECT_EQ(bootstrap.scale, 7);
  EXPECT_EQ(bootstrap.bound, 0) << "nothing is known of its values";
}

TEST(Recorder, MapsReadTheirLayoutsAndHaveTheirBiasByElement) {
  const auto recorder = Recorder::make("rec", 8, 100);
  const Layout four = Layout::row_major({4}, 8), two = Layout::row_major({2}, 8);
  const layout::LinearMap map{
      four, two, std::make_shared<layout::Gather>(layout::Shape{4}, layout::Shape{2}, std::vector<Index>{3, 1})};
  const params::LinearSchedule schedule{{{0, 0, 0}, {3, 1, 2}}, {2}};
  const layout::DiagonalCount diagonals{.products = 2, .density = 0.5};
  const EncodedMapPtr encoded = recorder->encode_map({map, schedule, diagonals}, kTo, {1, 7});
  EXPECT_EQ(encoded->bytes(), 0);
  const ArrayPtr x = recorder->encrypt(four, {}, kTo);
  const ArrayPtr bias =
      recorder->encode_addend(1, [](Index) { return std::vector<double>{5, 6, 5, 6, 5, 6, 5, 6}; }, {1, 7});
  const MappedView terms[] = {{View::whole(x), encoded}, {View::whole(x), encoded}};
  const ArrayPtr y = recorder->linear(terms, bias, {1, 7});
  EXPECT_EQ(y->count(), 1);
  EXPECT_EQ(y->level(), 1);
  ASSERT_EQ(recorder->program().instructions.size(), 2U) << "the operand lies as its map reads it";
  const Instruction& made = recorder->program().value(1);
  EXPECT_EQ(made.layout, two);
  const auto& linear = std::get<Linear>(made.operation);
  ASSERT_EQ(linear.terms.size(), 2U);
  for (const LinearTerm& term : linear.terms) {
    EXPECT_EQ(term.input, 0U);
    EXPECT_EQ(term.schedule, schedule);
    EXPECT_EQ(term.diagonals->products, 2);
  }
  EXPECT_EQ(linear.bias->expanded(2), (std::vector<double>{5, 6}));
  recorder->linear({terms, 1}, nullptr, {1, 7});
  EXPECT_EQ(std::get<Linear>(recorder->program().value(2).operation).bias, std::nullopt);
}

}  // namespace
}  // namespace tacit::slots
