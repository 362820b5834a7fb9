#include "check/slots/dry_run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/slots/decryption_check.h"

namespace tacit::check {
namespace {

using testing::HasSubstr;

/// An input that a polynomial of degree 3 reads.
class DryRunOfAPolynomial : public testing::Test {
 protected:
  DryRunOfAPolynomial() {
    const auto layout = layout::Layout::row_major({1}, static_cast<layout::Index>(parameters_.slots()));
    program_.instructions.push_back({slots::Input{"x"}, layout, "x", "m.onnx", 0.5, 3, parameters_.scale()});
    program_.instructions.push_back(
        {slots::Polynomial{0, {0.1, 0.4, -0.2, 0.05}, params::PolynomialSchedule::choose(3)}, layout, "relu",
         "m.onnx: Relu", 0, 1, 2 * parameters_.scale()});
  }
  std::vector<DryValue> values() const { return dry_run(program_, params::named_literal("N13-d4")); }
  DryValue with_bound(std::size_t at, double bound) {
    program_.instructions.at(at).bound = bound;
    return values().at(at);
  }

  const params::CkksParameters parameters_ = params::CkksParameters::check(params::named_literal("N13-d4"));
  slots::Program program_{.name = "polynomial", .slots = 4096, .instructions = {}};
};

TEST_F(DryRunOfAPolynomial, ListsEveryValue) {
  const std::vector<DryValue> all = values();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].value, 0u);
  EXPECT_EQ(all[0].node, "x");
  EXPECT_EQ(all[0].source, "m.onnx");
  EXPECT_EQ(all[0].instruction, "input");
  EXPECT_EQ(all[0].level, 3);
  EXPECT_EQ(all[0].scale, parameters_.scale());
  EXPECT_EQ(all[0].ciphertexts, 1);
  EXPECT_EQ(all[0].bound, 0.5);
  EXPECT_EQ(all[0].range_share, 0.5) << "of the interval that a polynomial reads";
  EXPECT_EQ(all[0].problem, "");
  EXPECT_EQ(all[1].value, 1u);
  EXPECT_EQ(all[1].node, "relu");
  EXPECT_EQ(all[1].source, "m.onnx: Relu");
  EXPECT_EQ(all[1].instruction, "polynomial");
  EXPECT_EQ(all[1].level, 1);
  EXPECT_EQ(all[1].scale, 2 * parameters_.scale());
  EXPECT_EQ(all[1].bound, 0);
  EXPECT_EQ(all[1].range_share, 0);
  EXPECT_EQ(all[1].problem, "");
}

TEST_F(DryRunOfAPolynomial, WhatItReadsLiesWithinOne) {
  EXPECT_EQ(with_bound(0, 1).problem, "");
  EXPECT_EQ(with_bound(0, 1 + 1e-10).problem, "") << "rounding";
  EXPECT_EQ(with_bound(0, 1.25).problem, "it reaches 1.25, and a polynomial reads it on [-1, 1]");
  EXPECT_EQ(with_bound(0, 1.25).range_share, 1.25);
}

TEST_F(DryRunOfAPolynomial, WhatItMakesLiesWithinItsModulus) {
  const double most = runtime::largest_value(parameters_, 1, 2 * parameters_.scale());
  EXPECT_EQ(with_bound(1, most / 4).range_share, 0.25);
  EXPECT_EQ(with_bound(1, most / 4).problem, "");
  EXPECT_EQ(with_bound(1, most).problem, "");
  EXPECT_EQ(with_bound(1, 2 * most).range_share, 2);
  EXPECT_EQ(with_bound(1, 2 * most).problem,
            fmt::format("it reaches {:.4g}, and its modulus carries {:.4g}", 2 * most, most));
  const double read = runtime::largest_value(parameters_, 3, parameters_.scale());
  EXPECT_EQ(with_bound(0, 2 * read).problem,
            fmt::format("it reaches {:.4g}, and its modulus carries {:.4g}", 2 * read, read))
      << "which it would not even be carried to";
}

TEST_F(DryRunOfAPolynomial, LevelsAndScalesComeFirst) {
  program_.instructions[0].scale = 0.5;
  const DryValue scale = with_bound(0, 100);
  EXPECT_EQ(scale.problem, "its scale is no number of at least 1");
  EXPECT_EQ(scale.range_share, 0) << "nobody knows";
  program_.instructions[1].level = -1;
  EXPECT_THAT(with_bound(1, 1).problem, HasSubstr("to -1, and the parameters have"));
  EXPECT_EQ(with_bound(1, 1).range_share, 0);
}

}  // namespace
}  // namespace tacit::check
