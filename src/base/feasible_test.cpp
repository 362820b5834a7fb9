#include "base/feasible.h"

#include <gtest/gtest.h>

#include "base/refusal_for_test.h"

namespace tacit::base {
namespace {

const Infeasible kTooDeep{"the network needs 60 levels", "set S8 has 8", "use fewer layers", Infeasible::Lack::levels};

TEST(Feasible, AProblemIsASentenceOfItsParts) {
  EXPECT_EQ(kTooDeep.reason(), "the network needs 60 levels, and set S8 has 8");
  EXPECT_EQ(kTooDeep.sentence(), "the network needs 60 levels, and set S8 has 8: use fewer layers");
  EXPECT_EQ((Infeasible{"it is too large"}.sentence()), "it is too large");
  EXPECT_EQ((Infeasible{.what = "it is too large", .way_out = "split it"}.sentence()), "it is too large: split it");
  EXPECT_EQ(refusal([] { kTooDeep.refuse(); }), kTooDeep.sentence());
}

TEST(Feasible, HoldsAValueOrAProblem) {
  Feasible<std::string> fits(std::string("S8")), fails(kTooDeep);
  EXPECT_TRUE(fits.fits());
  EXPECT_EQ(*fits, "S8");
  EXPECT_EQ(fits->size(), 2U);
  EXPECT_FALSE(fails.fits());
  EXPECT_EQ(fails.problem().lack, Infeasible::Lack::levels);
  EXPECT_EQ(refusal([&] { std::move(fails).or_refuse(); }), kTooDeep.sentence());
  EXPECT_EQ(std::move(fits).or_refuse(), "S8");
  EXPECT_EQ(Feasible<int>(kTooDeep).optional(), std::nullopt);
  EXPECT_EQ(Feasible<int>(3).optional(), 3);
}

}  // namespace
}  // namespace tacit::base
