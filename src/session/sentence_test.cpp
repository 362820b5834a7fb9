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

TEST(Sentence, NothingReachesATerminalThatItWouldObey) {
  // The one-byte form of "ESC [" in UTF-8, marks that turn text around, a byte order mark, a separator of lines.
  EXPECT_EQ(one_line("a\xC2\x9B"
                     "31mb"),
            "a 31mb");
  EXPECT_EQ(one_line("a\xE2\x80\xAE"
                     "b\xE2\x81\xA6"
                     "c\xEF\xBB\xBF"
                     "d\xE2\x80\xA8"
                     "e\xE2\x80\x8B"
                     "f"),
            "a b c d e f");
  EXPECT_EQ(one_line("½ € …"), "½ € …");
  EXPECT_EQ(printable("a\x9B"
                      "31m\x1b]0;t\x07"),
            "a?31m ]0;t");
  EXPECT_EQ(printable_lines("a  \x1b[31m\tb\n\nc\xC2\x9B"
                            "d\r\n"),
            "a   [31m b\n\nc d \n");
}

TEST(Sentence, CountsInTheSingularToo) {
  EXPECT_EQ(counted(1, "input"), "1 input");
  EXPECT_EQ(counted(0, "input"), "0 inputs");
}

TEST(Sentence, IsNeverEndless) {
  EXPECT_LT(one_line(std::string(100000, 'x')).size(), 1010u);
  // A character is not cut in two.
  std::string euros = "x";
  for (int i = 0; i < 1000; ++i) euros += "€";
  const std::string line = one_line(euros);
  EXPECT_EQ(printable(line), line);
}

}  // namespace
}  // namespace tacit::session
