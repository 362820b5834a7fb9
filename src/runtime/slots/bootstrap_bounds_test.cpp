#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "params/small_ring_for_test.h"
#include "runtime/slots/bench_for_test.h"
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
    for (const double bound : {0.5, 1.0, 1 + 5e-10, 1 + 1e-9})
      EXPECT_EQ(objection_to_bound(bound, form), base::kNotRefused);
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

TEST(BootstrapTransforms, AreEncodedOnceASchedule) {
  const Bench bench(params::insecure_on_small_ring("S8", 9));
  slots::Program program = refreshing_program(bench);
  const params::BootstrapSchedule first = std::get<slots::Bootstrap>(program.instructions[1].operation).schedule;
  const params::BootstrapSchedule other = params::plan_bootstrap(
      bench.context->parameters().literal(), {.form = params::BootstrapForm::linear, .output_level = 8});
  const std::uint64_t of_first = scheme::ckks::Bootstrapper(bench.context, first).bytes();
  const std::uint64_t of_other = scheme::ckks::Bootstrapper(bench.context, other).bytes();
  const Bootstrappers one(bench.context, program);
  EXPECT_EQ(one.bytes(), of_first);
  EXPECT_EQ(one.of(first).schedule(), first);
  EXPECT_EQ(base::refusal<base::InternalError>([&] { one.of(other); }), "a bootstrap that the program does not have");
  for (const params::BootstrapSchedule& more : {first, other}) {
    slots::Instruction instruction = program.instructions[1];
    std::get<slots::Bootstrap>(instruction.operation).schedule = more;
    program.instructions.push_back(instruction);
  }
  const Bootstrappers both(bench.context, program);
  EXPECT_EQ(both.bytes(), of_first + of_other);
  EXPECT_EQ(both.of(other).schedule(), other);
  program.instructions.resize(1);
  EXPECT_EQ(Bootstrappers(bench.context, program).bytes(), 0u);
}

}  // namespace
}  // namespace tacit::runtime
