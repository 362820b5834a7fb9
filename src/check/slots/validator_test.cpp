#include "check/slots/validator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "check/network_for_test.h"
#include "check/slots/scope.h"
#include "check/slots/validation_run.h"
#include "graph/slots/pair_bootstraps.h"
#include "params/small_ring_for_test.h"
#include "program/slots/validations.h"
#include "runtime/compiled_model.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/small_program_for_test.h"

namespace tacit::check {
namespace {

using layout::Layout;
using program::Detail;
using runtime::Bench;
using runtime::ProgramWriter;
using testing::HasSubstr;
using testing::ThrowsMessage;

params::CkksLiteral precise_literal(int depth) {
  std::vector<int> q(static_cast<std::size_t>(depth) + 1, 45);
  q[0] = 50;
  return {.name = "test", .log_n = 10, .q_bits = q, .p_bits = {50, 50, 50}, .log_scale = 45, .insecure = true};
}

Report watch(const Bench& bench, const slots::Program& program, const std::vector<std::vector<double>>& inputs,
             Mode mode = {}, const slots::Program* run = nullptr, const graph::Graph* graph = nullptr) {
  Validator validator(bench.context, bench.secret, program, graph, mode, inputs);
  const slots::Program& carried = run ? *run : program;
  runtime::Executor executor(bench.prepared(carried), bench.keys(carried));
  executor.run(bench.encrypt(carried, inputs), &validator);
  return validator.report();
}

/// A matrix product with a bias, a product with a plaintext, a rotation.
slots::Program published_examples(const Bench& bench, std::int64_t steps = 1, bool validated = true) {
  ProgramWriter writer(bench.slots());
  const Layout wide = Layout::row_major({32}, bench.slots());
  const auto x = writer.input("x", wide);
  const auto gemm = writer.dense(x, Layout::row_major({16}, bench.slots()));
  const auto product = writer.multiply_plain(gemm);
  slots::Program program = writer.finish(bench.context->parameters());
  const auto rotated = static_cast<program::ValueId>(program.instructions.size());
  slots::Instruction rotation = program.instructions[product];
  rotation.operation = slots::Rotate{product, steps};
  rotation.node = "rotate";
  program.instructions.push_back(rotation);
  if (!validated) return program;
  program.validate(gemm, 16, -7);
  program.validate(product, 16, -7);
  program.validate(rotated, bench.slots(), -7);
  return program;
}

TEST(Validator, ThePublishedExamplesHoldWithinTenToTheMinusSeven) {
  const Bench bench(precise_literal(3));
  const slots::Program program = published_examples(bench);
  slots::verify(program);
  ProgramWriter numbers(bench.slots(), 3);
  for (const bool end_to_end : {false, true}) {
    const Report report =
        watch(bench, program, {numbers.numbers(program.instructions[0].layout)}, {.end_to_end = end_to_end});
    ASSERT_EQ(report.operators.size(), 3u);
    for (const OperatorResult& result : report.operators) {
      EXPECT_FALSE(result.failed) << result.node << " " << result.worst_error;
      EXPECT_GT(result.worst_error, 0);
      EXPECT_LT(result.worst_error, 1e-7);
      EXPECT_LE(result.mean_error, result.worst_error);
    }
    EXPECT_EQ(report.operators[0].operators, "linear");
    EXPECT_EQ(report.operators[1].operators, "multiply_plain");
    EXPECT_EQ(report.operators[2].operators, "rotate");
  }
}

TEST(Validator, ARotationByTwoIsNoRotationByOne) {
  const Bench bench(precise_literal(3));
  const slots::Program intended = published_examples(bench, 1), wrong = published_examples(bench, 2);
  ProgramWriter numbers(bench.slots(), 3);
  const auto inputs = std::vector<std::vector<double>>{numbers.numbers(intended.instructions[0].layout)};
  const Report report = watch(bench, intended, inputs, {}, &wrong);
  EXPECT_FALSE(report.operators[0].failed);
  EXPECT_FALSE(report.operators[1].failed);
  ASSERT_TRUE(report.operators[2].failed);
  EXPECT_EQ(report.operators[2].cause, Cause::bug);
  try {
    watch(bench, intended, inputs, {.fail_fast = true}, &wrong);
    FAIL() << "nothing stopped";
  } catch (const ValidationFailed& failure) {
    EXPECT_THAT(failure.what(), testing::MatchesRegex("validate failed at rotate\\[[0-9]+\\]: .* != .*"));
    EXPECT_EQ(failure.result().index, report.operators[2].index);
  }
}

TEST(Validator, WithoutValidationsTheSameBitsComeOut) {
  const Bench bench(precise_literal(3));
  slots::Program program = published_examples(bench), plain = published_examples(bench, 1, false);
  slots::Instruction output = program.instructions[3];
  output.operation = slots::Output{3, "y"};
  program.instructions.push_back(output);
  plain.instructions.push_back(output);
  EXPECT_FALSE(slots::has_validations(plain));
  EXPECT_EQ(plain.instructions.size() + 3, program.instructions.size());
  const auto keys = bench.keys(plain);
  ProgramWriter numbers(bench.slots(), 3);
  const std::vector<std::vector<double>> tensors{numbers.numbers(plain.instructions[0].layout)};
  const auto inputs = bench.encrypt(plain, tensors);
  Validator validator(bench.context, bench.secret, program, nullptr, {}, tensors);
  runtime::Executor with(bench.prepared(program), keys), without(bench.prepared(plain), keys);
  const auto a = with.run(inputs, &validator).outputs, b = without.run(inputs).outputs;
  ASSERT_EQ(validator.report().operators.size(), 3u);
  ASSERT_EQ(a.size(), 1u);
  for (int limb = 0; limb <= a[0][0].level; ++limb)
    for (std::size_t i = 0; i < bench.context->parameters().n(); ++i) {
      ASSERT_EQ(a[0][0].c0.limb(static_cast<std::size_t>(limb))[i], b[0][0].c0.limb(static_cast<std::size_t>(limb))[i]);
      ASSERT_EQ(a[0][0].c1.limb(static_cast<std::size_t>(limb))[i], b[0][0].c1.limb(static_cast<std::size_t>(limb))[i]);
    }
}

TEST(Validator, NobodyCarriesValidationsOutWithoutTheSecretKey) {
  const Bench bench(precise_literal(3));
  const slots::Program program = published_examples(bench);
  ProgramWriter numbers(bench.slots(), 3);
  runtime::Executor executor(bench.prepared(program), bench.keys(program));
  const auto inputs = bench.encrypt(program, {numbers.numbers(program.instructions[0].layout)});
  EXPECT_THAT([&] { executor.run(inputs); }, ThrowsMessage<base::InputError>(HasSubstr("secret key")));
  const base::TemporaryFolder folder;
  runtime::ServerModel model;
  model.name = "m";
  model.literal = bench.context->parameters().literal();
  model.program = program;
  runtime::save(model, folder.path() / "server.tacit");
  EXPECT_THAT([&] { runtime::load_server_model(folder.path() / "server.tacit"); },
              ThrowsMessage<base::InputError>(HasSubstr("a server does not carry them out")));
}

TEST(Validator, AnotherKeyIsRefused) {
  const Bench bench(precise_literal(3)), other(precise_literal(4));
  const slots::Program program = published_examples(bench);
  EXPECT_THROW(Validator(bench.context, other.secret, program, nullptr, {}, {}), base::KeyMismatch);
}

void expect_clean(const TestNetwork& net, const Bench& bench, const std::string& detail, double epsilon, Mode mode) {
  OwnerKeys keys{bench.context, std::make_shared<const scheme::ckks::SecretKey>(bench.secret),
                 bench.keys(net.model.program)};
  const Report report = run_validation(net.model, parse_request(detail, epsilon), mode, keys, {{net.input}});
  EXPECT_FALSE(report.operators.empty());
  for (const OperatorResult& result : report.operators)
    EXPECT_FALSE(result.failed) << detail << (mode.end_to_end ? " end to end " : " ") << result.operators << ": "
                                << result.worst_error << " > " << result.tolerance << " " << name(result.cause);
  EXPECT_GT(report.peak_bytes, 0u);
}

TEST(Validator, CleanNetworksPassAtEveryDetail) {
  for (const TestNetwork& net : {small_convolutional(1), small_perceptron(2)}) {
    const Bench bench(net.model.parameters);
    for (const char* detail : {"nn", "vector", "instruction"}) expect_clean(net, bench, detail, -4, {});
    expect_clean(net, bench, "vector", -3, {.end_to_end = true});
  }
}

TEST(Validator, CleanNetworksThatBootstrapPassAtEveryDetail) {
  for (const TestNetwork& net : {bootstrapped_perceptron(), bootstrapped_squares(), bootstrapped_convolutional()}) {
    const Bench bench(net.model.parameters);
    for (const char* detail : {"nn", "vector", "instruction"}) expect_clean(net, bench, detail, -4, {});
    expect_clean(net, bench, "vector", -3, {.end_to_end = true});
  }
}

TEST(Validator, EndToEndShowsTheDriftOfApproximationsAndNamesThem) {
  const TestNetwork net = small_convolutional(1);
  const Bench bench(net.model.parameters);
  OwnerKeys keys{bench.context, std::make_shared<const scheme::ckks::SecretKey>(bench.secret),
                 bench.keys(net.model.program)};
  Request request = parse_request("nn", -4);
  request.strict = true;
  const Report report = run_validation(net.model, request, {}, keys, {{net.input}});
  int approximated = 0;
  for (const OperatorResult& result : report.operators)
    if (result.failed) {
      EXPECT_EQ(result.cause, Cause::approximation) << result.operators;
      EXPECT_THAT(result.operators, HasSubstr("Relu"));
      ++approximated;
    }
  EXPECT_EQ(approximated, 1);
  const Report drift = run_validation(net.model, request, {.end_to_end = true}, keys, {{net.input}});
  ASSERT_EQ(drift.operators.size(), report.operators.size());
  EXPECT_GT(drift.operators.back().worst_error, report.operators.back().worst_error * 10);
  int carried = 0;
  for (const OperatorResult& result : drift.operators) {
    if (!result.failed) continue;
    EXPECT_EQ(result.cause, Cause::approximation) << result.node;
    EXPECT_EQ(result.origin, "Relu1") << result.node;
    carried += result.node != result.origin ? 1 : 0;
  }
  EXPECT_EQ(carried, 3);  // everything behind it
  // Of an operator that nobody looked at only the place is known.
  request.nodes = "Gemm*";
  const Report some = run_validation(net.model, request, {.end_to_end = true}, keys, {{net.input}});
  ASSERT_TRUE(some.operators.at(0).failed);
  EXPECT_EQ(some.operators[0].node, "Gemm4");
  EXPECT_EQ(some.operators[0].cause, Cause::drift);
  EXPECT_EQ(some.operators[0].origin, "Relu1");
}

TEST(Validator, ABoundTighterThanTheNoiseIsCalledNoise) {
  const TestNetwork net = small_convolutional(1);
  const Bench bench(net.model.parameters);
  OwnerKeys keys{bench.context, std::make_shared<const scheme::ckks::SecretKey>(bench.secret),
                 bench.keys(net.model.program)};
  const Report report = run_validation(net.model, parse_request("vector", -13), {}, keys, {{net.input}});
  for (const OperatorResult& result : report.operators) {
    EXPECT_TRUE(result.failed);
    EXPECT_EQ(result.cause, Cause::noise) << result.operators << " " << result.worst_error;
  }
}

// Each of two short values repeats along the slots; the pair that refreshes them does not.
TEST(Validator, PairsOfBootstrapsAreComparedAtEveryDetail) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 9);
  const Bench bench(literal);
  const params::BootstrapSchedule schedule =
      params::plan_bootstrap(literal, {.form = params::BootstrapForm::linear, .output_level = 5});
  const Layout four = Layout::row_major({4}, bench.slots());
  slots::Program program{.name = "pair", .slots = bench.slots(), .instructions = {}};
  const auto add = [&](slots::Operation operation, const std::string& node) {
    program.instructions.push_back({std::move(operation), four, node, "pair.onnx: " + node, 1, -1, 0});
  };
  add(slots::Input{"x"}, "x");
  add(slots::Input{"y"}, "y");
  add(slots::Bootstrap{{0}, schedule}, "first");
  add(slots::Bootstrap{{1}, schedule}, "second");
  add(slots::Output{2, "u"}, "u");
  add(slots::Output{3, "v"}, "v");
  slots::assign_levels(program, bench.context->parameters());
  graph::passes::pair_bootstraps(program);
  graph::CompiledModel model;
  model.program = program;
  const std::vector<std::vector<double>> inputs{{0.5, -0.25, 1, 0}, {-1, 0.75, 0.125, 0.5}};
  for (const char* request : {"vector", "instruction", "vector:second"})
    for (const bool end_to_end : {false, true}) {
      const auto checks = validations(model, parse_request(request, -3));
      EXPECT_TRUE(std::ranges::any_of(checks, [&](const program::Validate& check) {
        return std::holds_alternative<slots::Bootstrap>(program.value(check.value).operation);
      })) << request;
      const Report report = watch(bench, slots::with_validations(program, checks), inputs, {.end_to_end = end_to_end});
      EXPECT_EQ(report.first_failure(), nullptr) << request << end_to_end;
    }
  const std::vector<program::ValueId> pair{2};
  EXPECT_EQ(between(program, pair, 3), (std::vector<program::ValueId>{3}));
  EXPECT_EQ(between(program, std::vector<program::ValueId>{0}, 3), (std::vector<program::ValueId>{2, 3}));
}

/// Counts the runs that begin.
struct Runs final : base::Progress {
  void stage_began(std::string_view stage, std::uint64_t) override { begun += stage == "evaluate" ? 1 : 0; }
  void steps_done(std::uint64_t) override {}
  void stage_ended() override {}
  int begun = 0;
};

TEST(RunValidation, StopsAtTheFirstSampleThatFailsOrSeesThemAll) {
  const TestNetwork net = linear_classifier(true);
  const OwnerKeys keys = OwnerKeys::generate(net.model);
  const std::vector<Sample> samples(3, net.input);
  for (const bool fail_fast : {true, false}) {
    Runs runs;
    runtime::PrepareOptions options;
    options.progress = &runs;
    const Report report =
        run_validation(net.model, parse_request("instruction", -14), {.fail_fast = fail_fast}, keys, samples, options);
    ASSERT_NE(report.first_failure(), nullptr) << "no ciphertext is exact to 14 digits";
    EXPECT_EQ(runs.begun, fail_fast ? 1 : 3);
  }
  Runs runs;
  runtime::PrepareOptions options;
  options.progress = &runs;
  const Report right =
      run_validation(net.model, parse_request("instruction", -3), {.fail_fast = true}, keys, samples, options);
  EXPECT_EQ(right.first_failure(), nullptr);
  EXPECT_EQ(runs.begun, 3);
  EXPECT_GT(right.peak_bytes, 0u);
  EXPECT_GE(right.run_seconds, right.validate_seconds);
}

TEST(Validator, AnErrorOfOneElementIsCarriedOnFromWhereItWasMade) {
  const Bench bench(precise_literal(3));
  ProgramWriter writer(bench.slots());
  const auto x = writer.input("x", Layout::row_major({32}, bench.slots()));
  const auto product = writer.multiply_plain(x);
  const auto sum = writer.dense(product, Layout::row_major({1}, bench.slots()));
  slots::Program intended = writer.finish(bench.context->parameters()), wrong = intended;
  std::get<slots::MultiplyPlain>(wrong.instructions[product].operation).factor = layout::RepeatedReals(0.75);
  intended.validate(sum, 1, -5);
  wrong.validate(sum, 1, -5);
  const auto inputs = std::vector<std::vector<double>>{writer.numbers(intended.instructions[x].layout)};
  const Report report = watch(bench, intended, inputs, {.end_to_end = true}, &wrong);
  ASSERT_EQ(report.operators.size(), 1u);
  ASSERT_TRUE(report.operators[0].failed);
  EXPECT_EQ(report.operators[0].index, 0);
  EXPECT_EQ(report.operators[0].cause, Cause::drift);
  EXPECT_EQ(report.operators[0].origin, intended.instructions[product].node);
}

TEST(Validator, CountsTheNumbersThatItHoldsAtOnce) {
  const Bench bench(precise_literal(3));
  ProgramWriter writer(bench.slots());
  const auto x = writer.input("x", Layout::row_major({32}, bench.slots()));
  const auto turned = writer.record(slots::Rotate{x, 1}, Layout::row_major({32}, bench.slots()));
  slots::Program program = writer.finish(bench.context->parameters());
  program.validate(turned, bench.slots(), -5);
  const Report report = watch(bench, program, {writer.numbers(program.instructions[x].layout)});
  EXPECT_EQ(report.first_failure(), nullptr);
  // The slots of the value, of its message and of the operand; both sides as they are and as they are compared; and the
  // elements of the operand.
  const auto slots = static_cast<std::uint64_t>(bench.slots());
  EXPECT_EQ(report.peak_bytes, (3 * slots + 4 * slots + 32) * sizeof(double));
}

}  // namespace
}  // namespace tacit::check
