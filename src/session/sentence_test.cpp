#include "session/sentence.h"

#include <gtest/gtest.h>

namespace tacit::session {
namespace {

TEST(Sentence, ControlCharactersAndLineBreaksBecomeSpaces) {
  EXPECT_EQ(one_line("a\n\n  b\tc \x1b[31m d\n"), "a b c [31m d");
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(one_line("\n"), "");
  EXPECT_EQ(one_line("Größe"), "Größe");
}

TEST(Sentence, CountsInTheSingularToo) {
  EXPECT_EQ(counted(1, "input"), "1 input");
  EXPECT_EQ(counted(0, "input"), "0 inputs");
}

TEST(Sentence, NamesThePartThatIsWrong) {
  EXPECT_EQ(naming("x.npy, row 1", [] { return 7; }), 7);
  try {
    naming("x.npy, row 1", [] { throw base::InputError("it is too large"); });
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_STREQ(error.what(), "x.npy, row 1: it is too large");
  }
}

TEST(Sentence, IsNeverEndless) { EXPECT_LT(one_line(std::string(100000, 'x')).size(), 1010u); }

}  // namespace
}  // namespace tacit::session
