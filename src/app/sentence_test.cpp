#include "app/sentence.h"

#include <gtest/gtest.h>

namespace tacit::app {
namespace {

TEST(Sentence, ControlCharactersAndLineBreaksBecomeSpaces) {
  EXPECT_EQ(one_line("a\n\n  b\tc \x1b[31m d\n"), "a b c [31m d");
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(one_line("\n"), "");
  EXPECT_EQ(one_line("Größe"), "Größe");
}

TEST(Sentence, IsNeverEndless) { EXPECT_LT(one_line(std::string(100000, 'x')).size(), 1010u); }

}  // namespace
}  // namespace tacit::app
