#include "check/slots/insertion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "check/network_for_test.h"
#include "check/slots/dry_run.h"
#include "check/slots/scope.h"
#include "program/slots/serialize.h"
#include "program/slots/validations.h"

namespace tacit::check {
namespace {

using program::Detail;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Insertion, ARequestIsADetailAndAPattern) {
  EXPECT_EQ(parse_request("nn", -4).detail, Detail::network);
  EXPECT_EQ(parse_request("vector:conv*", -4).nodes, "conv*");
  EXPECT_EQ(parse_request("instruction", -6).epsilon, -6);
  for (const char* bad : {"", "tensor", "nn:", "NN"}) EXPECT_THROW(parse_request(bad, -4), base::InputError) << bad;
  for (const double epsilon : {-16.0, 16.0, HUGE_VAL, std::nan("")})
    EXPECT_THAT([&] { parse_request("nn", epsilon); }, ThrowsMessage<base::InputError>(HasSubstr("--epsilon")));
}

TEST(Insertion, NetworkDetailReadsTheNearestTensorsAndAllowsStatedApproximations) {
  const TestNetwork net = small_convolutional(1);
  const auto checks = validations(net.model, parse_request("nn", -4));
  std::vector<std::string> tensors;
  for (const auto& check : checks) {
    tensors.push_back(check.meaning.tensor);
    EXPECT_EQ(check.length, layout::element_count(net.model.program.value(check.value).layout.shape()));
    const bool polynomial = std::holds_alternative<slots::Polynomial>(net.model.program.value(check.value).operation);
    EXPECT_EQ(check.epsilon > -4, polynomial);
  }
  EXPECT_THAT(tensors, ElementsAre("Conv0", "Relu1", "Gemm4", "Mul5", "Gemm6"));
  EXPECT_THAT([&] { validations(net.model, parse_request("nn:dense*", -4)); },
              ThrowsMessage<base::InputError>(HasSubstr("Conv0")));
  EXPECT_EQ(validations(net.model, parse_request("nn:Gemm*", -4)).size(), 2u);
}

TEST(Insertion, ANetworkThatTheClientComputesHasNothingToValidate) {
  NetworkWriter w(1);
  w.sketch.output(w.sketch.node("Softmax", {w.sketch.input({1, 4})}, {1, 4}));
  const graph::CompiledModel model = graph::compile(w.sketch.graph, w.options(deep_insecure_literal(2)));
  EXPECT_THAT([&] { validations(model, parse_request("nn", -4)); },
              ThrowsMessage<base::InputError>(HasSubstr("computes nothing on ciphertexts")));
}

TEST(Insertion, WhatIsNoNamedValueIsRefused) {
  TestNetwork net = small_convolutional(1);
  slots::Program& program = net.model.program;
  const auto end = static_cast<program::ValueId>(program.instructions.size());
  EXPECT_THAT([&] { program.validate(end, 1, -4); }, ThrowsMessage<base::InputError>(HasSubstr("is no value")));
  EXPECT_THAT([&] { program.validate(0, 1, -4); }, ThrowsMessage<base::InputError>(HasSubstr("no operator")));
  EXPECT_THAT([&] { program.validate(1, 0, -4); }, ThrowsMessage<base::InputError>(HasSubstr("does not fit")));
  EXPECT_THAT([&] { program.validate(1, 1 << 30, -4); }, ThrowsMessage<base::InputError>(HasSubstr("does not fit")));
  EXPECT_THAT([&] { program.validate(1, 4, -40); }, ThrowsMessage<base::InputError>(HasSubstr("tolerance")));
  EXPECT_EQ(program.validate(1, 4, -4), end);
  EXPECT_THAT([&] { program.validate(end, 1, -4); }, ThrowsMessage<base::InputError>(HasSubstr("is no value")));
}

/// The program without its validations, the rest of it renumbered.
slots::Program rest_of(const slots::Program& program) {
  slots::Program rest{program.name, program.slots, {}};
  std::vector<program::ValueId> names;
  for (const slots::Instruction& instruction : program.instructions) {
    names.push_back(static_cast<program::ValueId>(rest.instructions.size()));
    if (std::holds_alternative<program::Validate>(instruction.operation)) continue;
    rest.instructions.push_back(instruction);
    slots::rename_operands(rest.instructions.back().operation, [&](program::ValueId id) { return names[id]; });
  }
  return rest;
}

TEST(Insertion, ProgramsWithValidationsKeepTheirBytesAndText) {
  const TestNetwork net = small_convolutional(1);
  for (const char* detail : {"nn", "vector", "instruction"}) {
    const slots::Program with =
        slots::with_validations(net.model.program, validations(net.model, parse_request(detail, -4)));
    slots::verify(with);
    EXPECT_EQ(slots::to_bytes(rest_of(with)), slots::to_bytes(net.model.program));
    const auto bytes = slots::to_bytes(with);
    EXPECT_EQ(slots::to_bytes(slots::program_from_bytes(bytes)), bytes);
    EXPECT_THAT(slots::to_text(with), HasSubstr(std::string("validate %")));
    EXPECT_THAT(slots::to_text(with), HasSubstr(std::string(" ") + detail + " length "));
  }
}

TEST(DryRun, FollowsLevelsScalesAndRangesAndFindsWhatIsWrong) {
  const TestNetwork net = small_convolutional(1);
  const auto parameters = params::CkksParameters::check(net.model.parameters);
  const auto problems = [&](const slots::Program& program) {
    std::string text;
    for (const DryValue& value : dry_run(program, parameters.literal())) text += value.problem;
    return text;
  };
  EXPECT_EQ(problems(net.model.program), "");
  EXPECT_EQ(dry_run(net.model.program, parameters.literal()).size(), net.model.program.instructions.size());
  for (program::ValueId id = 0; id < net.model.program.instructions.size(); ++id) {
    const auto& operation = net.model.program.instructions[id].operation;
    slots::Program broken = net.model.program;
    if (const auto* polynomial = std::get_if<slots::Polynomial>(&operation)) {
      broken.instructions[polynomial->input].bound = 1.1;
      EXPECT_THAT(problems(broken), HasSubstr("a polynomial reads it on [-1, 1]"));
      broken.instructions[polynomial->input].bound = 1;
      broken.instructions[polynomial->input].level -= 1;
      EXPECT_THAT(problems(broken), HasSubstr("and needs level"));
    }
    if (std::holds_alternative<slots::Multiply>(operation)) {
      broken.instructions[id].scale *= 2;
      EXPECT_THAT(problems(broken), HasSubstr("it makes scale"));
    }
  }
}

TEST(DryRun, FollowsBootstraps) {
  const TestNetwork net = bootstrapped_squares();
  const auto parameters = params::CkksParameters::check(net.model.parameters);
  const auto problems = [&](const slots::Program& program) {
    std::string text;
    for (const DryValue& value : dry_run(program, parameters.literal())) text += value.problem;
    return text;
  };
  EXPECT_EQ(problems(net.model.program), "");
  int bootstraps = 0;
  for (program::ValueId id = 0; id < net.model.program.instructions.size(); ++id) {
    const auto* bootstrap = std::get_if<slots::Bootstrap>(&net.model.program.instructions[id].operation);
    if (!bootstrap) continue;
    ++bootstraps;
    slots::Program broken = net.model.program;
    broken.instructions[bootstrap->inputs[0]].bound = 1.1;
    EXPECT_THAT(problems(broken), HasSubstr("a bootstrap reads it on [-1, 1]"));
    broken = net.model.program;
    broken.instructions[bootstrap->inputs[0]].level = bootstrap->schedule.input_level - 1;
    EXPECT_THAT(problems(broken), HasSubstr("and needs level"));
    broken = net.model.program;
    broken.instructions[id].level = bootstrap->schedule.output_level + 1;
    EXPECT_THAT(problems(broken), HasSubstr("a bootstrap ends at level"));
    broken = net.model.program;
    broken.instructions[bootstrap->inputs[0]].scale *= 2;
    EXPECT_THAT(problems(broken), HasSubstr("at another scale"));
  }
  EXPECT_GE(bootstraps, 1);
}

/// What a bootstrap in linear form, and no other, is off by: the largest distance of what it makes of a slot from the
/// slot.
double left_by(const slots::Bootstrap& bootstrap) {
  if (bootstrap.schedule.form != params::BootstrapForm::linear) return 0;
  double most = 0;
  for (int i = 0; i <= 10000; ++i) most = std::max(most, std::abs(bootstrap.schedule.result(i / 1e4) - i / 1e4));
  return most;
}

// Both times a tenth more, for errors are stated at points between which they may be larger.
TEST(Insertion, NetworkDetailAllowsWhatPolynomialsAndBootstrapsLeave) {
  for (const bool folded : {false, true}) {
    const TestNetwork net = folded ? bootstrapped_perceptron() : bootstrapped_squares();
    int bootstraps = 0;
    for (const program::Validate& check : validations(net.model, parse_request("nn", -4))) {
      double expected = 1e-4, smallest = HUGE_VAL;
      for (const double factor : check.meaning.factors) smallest = std::min(smallest, std::abs(factor));
      std::set<std::string> functions;
      for (const program::ValueId id : between(net.model.program, check.arguments, check.value)) {
        const slots::Instruction& made = net.model.program.value(id);
        if (std::holds_alternative<slots::Polynomial>(made.operation)) functions.insert(made.node);
        const auto* bootstrap = std::get_if<slots::Bootstrap>(&made.operation);
        if (bootstrap == nullptr) continue;
        bootstraps += (bootstrap->schedule.form == params::BootstrapForm::folded) == folded ? 1 : 0;
        EXPECT_EQ(left_by(*bootstrap) > 0, bootstrap->schedule.form == params::BootstrapForm::linear);
        expected += 1.1 * left_by(*bootstrap) / smallest;
      }
      for (const graph::Approximation& approximation : net.model.approximations)
        if (functions.contains(approximation.node)) expected += 1.1 * approximation.max_error;
      EXPECT_NEAR(check.epsilon, std::log10(expected), 1e-3) << check.meaning.tensor;
    }
    EXPECT_GE(bootstraps, 1) << folded;
    Request strict = parse_request("nn", -4);
    strict.strict = true;
    for (const program::Validate& check : validations(net.model, strict)) EXPECT_EQ(check.epsilon, -4);
  }
}

TEST(Insertion, APatternThatMatchesNothingIsAnsweredWithTwelveNames) {
  graph::CompiledModel model;
  model.program.name = std::string("many");
  const auto layout = layout::Layout::row_major({4}, 8);
  const auto add = [&](slots::Operation operation, const std::string& node) {
    model.program.instructions.push_back({std::move(operation), layout, node, "", 1, 1, 0x1p40});
  };
  const auto refused = [&] { validations(model, parse_request("vector:none", -4)); };
  add(slots::Input{"x"}, "x");
  for (program::ValueId id = 0; id < 12; ++id) add(slots::Rotate{id, 1}, "n" + std::to_string(id));
  add(slots::Rotate{12, 1}, "n0");  // of the same node
  EXPECT_THAT(refused, ThrowsMessage<base::InputError>(testing::EndsWith(
                           "matches 'none'; there are n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11")));
  add(slots::Rotate{12, 1}, "n12");
  add(slots::Rotate{12, 1}, "n13");
  EXPECT_THAT(refused, ThrowsMessage<base::InputError>(testing::EndsWith(", n10, n11 and 2 more")));
}

TEST(Insertion, APatternSpansTheSlashesOfNames) {
  graph::CompiledModel model;
  const auto layout = layout::Layout::row_major({4}, 8);
  const auto add = [&](slots::Operation operation, const std::string& node) {
    model.program.instructions.push_back({std::move(operation), layout, node, "", 1, 1, 0x1p40});
  };
  add(slots::Input{"x"}, "x");
  for (const char* node : {"/features/0/Conv", "/features/1/Conv", "/head/Gemm"}) add(slots::Rotate{0, 1}, node);
  const auto named = [&](const char* pattern) {
    return validations(model, parse_request("vector:" + std::string(pattern), -4)).size();
  };
  EXPECT_EQ(named("*"), 3u);
  EXPECT_EQ(named("*Conv"), 2u);
  EXPECT_EQ(named("/features*"), 2u);
  EXPECT_EQ(named("/features/?/Conv"), 2u);
  EXPECT_EQ(named("/head/Gemm"), 1u);
}

TEST(DryRun, ValuesMayReachTheEndOfAnInterval) {
  const TestNetwork net = small_convolutional(1);
  for (program::ValueId id = 0; id < net.model.program.instructions.size(); ++id) {
    const auto* polynomial = std::get_if<slots::Polynomial>(&net.model.program.instructions[id].operation);
    if (polynomial == nullptr) continue;
    const auto problem = [&](double bound) {
      slots::Program program = net.model.program;
      program.instructions[polynomial->input].bound = bound;
      return dry_run(program, net.model.parameters).at(polynomial->input).problem;
    };
    EXPECT_EQ(problem(1), "");
    EXPECT_EQ(problem(1 + 1e-10), "") << "rounding";
    EXPECT_THAT(problem(1 + 1e-6), HasSubstr("a polynomial reads it on [-1, 1]"));
  }
}

}  // namespace
}  // namespace tacit::check
