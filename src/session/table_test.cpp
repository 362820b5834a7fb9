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

}  // namespace
}  // namespace tacit::session
