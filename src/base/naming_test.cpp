#include "base/naming.h"

#include <gtest/gtest.h>

namespace tacit::base {
namespace {

TEST(Naming, NamesThePartThatIsWrong) {
  EXPECT_EQ(naming("x.npy, row 1", [] { return 7; }), 7);
  const int found = 7;
  EXPECT_EQ(&naming("key 1", [&]() -> const int& { return found; }), &found);
  try {
    naming("x.npy, row 1", [] { throw InputError("it is too large"); });
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "x.npy, row 1: it is too large");
  }
}

TEST(Naming, LeavesOtherErrorsAlone) {
  try {
    naming("x.npy", [] { throw KeyMismatch("another key"); });
    FAIL();
  } catch (const KeyMismatch& error) {
    EXPECT_STREQ(error.what(), "another key");
  }
}

}  // namespace
}  // namespace tacit::base
