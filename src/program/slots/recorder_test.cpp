#include "program/slots/recorder.h"

#include <gtest/gtest.h>

#include "base/error.h"

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

}  // namespace
}  // namespace tacit::slots
