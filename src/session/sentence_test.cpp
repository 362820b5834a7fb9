#include "session/sentence.h"

#include <fmt/format.h>
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
  EXPECT_EQ(printable("\x9B\x9B"
                      "a"),
            "??a");
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

// Of each run of characters that are hidden the first and the last, and those beside them.
TEST(Sentence, OnlyWhatHidesOrTurnsTextBecomesASpace) {
  for (const char* hidden : {"\x01", "\x1F", " ", "\x7F", "\xC2\x80", "\xC2\x9F", "\xE2\x80\x8B", "\xE2\x80\x8F",
                             "\xE2\x80\xA8", "\xE2\x80\xAE", "\xE2\x81\xA0", "\xE2\x81\xAF", "\xEF\xBB\xBF"}) {
    const std::string text = fmt::format("z{}z", hidden);
    EXPECT_EQ(one_line(text), "z z") << testing::PrintToString(text);
    EXPECT_EQ(printable_lines(text), "z z") << testing::PrintToString(text);
  }
  for (const char* shown :
       {"!", "~", "\xC2\xA0", "\xC3\x80", "\xC3\x9F", "\xE2\x80\x8A", "\xE2\x80\x90", "\xE2\x80\xA7", "\xE2\x80\xAF",
        "\xE2\x81\x9F", "\xE2\x81\xB0", "\xE2\x82\x8B", "\xE2\x82\xA0", "\xE3\x80\x8B", "\xE3\x81\xA0", "\xEF\xBB\xBE",
        "\xEF\xBC\xBF", "\xEE\xBB\xBF"}) {
    const std::string text = fmt::format("z{}z", shown);
    EXPECT_EQ(one_line(text), text) << testing::PrintToString(text);
    EXPECT_EQ(printable_lines(text), text) << testing::PrintToString(text);
  }
}

TEST(Sentence, IsCutBehindAThousandBytes) {
  const std::string thousand(1000, 'x');
  EXPECT_EQ(one_line(thousand), thousand);
  EXPECT_EQ(one_line(thousand + "\n"), thousand);
  EXPECT_EQ(one_line(thousand + "y"), thousand + " …");
  EXPECT_EQ(one_line(std::string(999, 'x') + "€"), std::string(999, 'x') + "€") << "whole characters";
  EXPECT_EQ(one_line(std::string(999, 'x') + "€y"), std::string(999, 'x') + "€ …");
}

}  // namespace
}  // namespace tacit::session
