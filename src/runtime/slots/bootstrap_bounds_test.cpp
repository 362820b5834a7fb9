#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "params/small_ring_for_test.h"
#include "runtime/slots/bootstrappers.h"
#include "runtime/slots/small_program_for_test.h"

namespace tacit::runtime {
namespace {

/// One bootstrap of a value with this bound.
std::string objection_to_bound(double bound, params::BootstrapForm form) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 9);
  const params::CkksParameters parameters = params::CkksParameters::check(literal);
  const auto slots = static_cast<layout::Index>(parameters.slots());
  const layout::Layout layout = layout::Layout::row_major({slots}, slots);
  slots::Program program{.name = "one", .slots = slots, .instructions = {}};
  program.instructions.push_back({slots::Input{"x"}, layout, "node", "one.onnx: x", bound, -1, 0});
  program.instructions.push_back(
      {slots::Bootstrap{{0}, params::plan_bootstrap(literal, {.form = form, .output_level = 5})}, layout, "node",
       "one.onnx: refreshed", 1, -1, 0});
  program.instructions.push_back({slots::Output{1, "y"}, layout, "node", "one.onnx: y", 1, -1, 0});
  return base::refusal([&] { Bootstrappers::check(program, parameters); });
}

TEST(BootstrapOperands, LieBetweenMinusOneAndOneWithRoundingToSpare) {
  using enum params::BootstrapForm;
  for (const params::BootstrapForm form : {linear, folded}) {
    for (const double bound : {0.5, 1.0, 1 + 5e-10, 1 + 1e-9}) EXPECT_EQ(objection_to_bound(bound, form), base::kNotRefused);
    EXPECT_THAT(objection_to_bound(1 + 2e-9, form), testing::HasSubstr("the operand of its bootstrap reaches 1.0000"));
    EXPECT_THAT(objection_to_bound(1.5, form),
                testing::EndsWith(": the operand of its bootstrap reaches 1.500000, and a bootstrap takes values in "
                                  "[-1, 1]: compile the model again with calibration data"));
  }
}

TEST(BootstrapOperands, OfAFunctionNeedNoKnownRange) {
  EXPECT_EQ(objection_to_bound(0, params::BootstrapForm::folded), base::kNotRefused);
  EXPECT_THAT(objection_to_bound(0, params::BootstrapForm::linear),
              testing::HasSubstr("the operand of its bootstrap has no known range, and a bootstrap takes"));
}

}  // namespace
}  // namespace tacit::runtime
