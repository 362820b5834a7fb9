#include "graph/slots/choose_parameters.h"

#include <gtest/gtest.h>

#include "graph/slots/candidate_literals_for_test.h"

namespace tacit::graph::passes {
namespace {

TEST(ChooseParameters, EveryCandidateIsInsideTheSecurityTable) {
  for (int depth = 0; depth <= 34; ++depth)
    for (const bool approximations : {false, true})
      for (const params::CkksLiteral& literal : candidate_literals({depth, approximations, 10})) {
        const params::CkksParameters checked = params::CkksParameters::check(literal);
        EXPECT_GE(checked.security_bits(), 128) << literal.name;
        EXPECT_EQ(checked.max_level(), depth);
        EXPECT_GE(literal.q_bits[0] - literal.log_scale, 10) << literal.name;
      }
}

TEST(ChooseParameters, SmallestRingsByDepth) {
  EXPECT_EQ(candidate_literals({1, false, 10}).front().log_n, 13);
  EXPECT_EQ(candidate_literals({5, false, 10}).front().log_n, 13);
  EXPECT_EQ(candidate_literals({7, false, 10}).front().log_n, 14);
  EXPECT_EQ(candidate_literals({8, true, 10}).front().log_n, 14);
  EXPECT_EQ(candidate_literals({15, true, 10}).front().log_n, 15);
  const params::CkksLiteral deep = candidate_literals({29, true, 10}).front();
  EXPECT_EQ(deep.log_n, 16);
  EXPECT_EQ(deep.log_scale, 40);
}

TEST(ChooseParameters, TooDeepNetworksAreRefusedWithTheBound) {
  EXPECT_TRUE(candidate_literals({60, true, 10}).empty());
  const base::Infeasible problem = too_deep({60, true, 10});
  EXPECT_EQ(problem.lack, base::Infeasible::Lack::levels);
  EXPECT_EQ(problem.what, "the network needs 60 levels");
  EXPECT_NE(problem.bound.find("N = 2^16"), std::string::npos);
}

}  // namespace
}  // namespace tacit::graph::passes
