#include "session/table.h"

#include <gtest/gtest.h>

namespace tacit::session {
namespace {

TEST(Table, AlignsTheFirstColumnLeftAndTheOthersRight) {
  Table table({"stage", "seconds"});
  table.add({"evaluate", "1.5"});
  table.add({"x"});
  EXPECT_EQ(table.text(), "  stage     seconds\n  evaluate      1.5\n  x\n");
}

TEST(Table, ANameBeginsNoLineOfItsOwn) {
  Table table({"node", "level"});
  table.add({"a\x1b[2J\nforged  1", "2"});
  EXPECT_EQ(table.text(), "  node            level\n  a [2J forged 1      2\n");
}

}  // namespace
}  // namespace tacit::session
