#include "graph/client_guards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/refusal_for_test.h"
#include "graph/passes/guard_client.h"
#include "graph/passes/settle_outputs.h"
#include "graph/passes/sketch.h"
#include "graph/passes/value_domains.h"

namespace tacit::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Reals = std::vector<double>;

/// A client that decrypts x and applies functions to it.
struct Client : passes::Sketch {
  TensorId x = input({1, 2});
  ClientParts parts(std::vector<double> errors = {}) const {
    ClientParts made{
        graph, passes::settle_outputs(passes::guard_client(graph, 0, passes::value_domains(graph)), 0), {}};
    if (!errors.empty()) allow_errors(made, errors);
    return made;
  }
};

std::vector<double> shown(const ClientParts& parts, const Reals& x) {
  return run_after(parts, std::vector<Reals>{x}).at(0).data;
}
std::string refused(const ClientParts& parts, const Reals& x) {
  return base::refusal([&] { shown(parts, x); });
}

TEST(ClientGuards, TakeNumbersToTheirDomainAsFarAsNoiseExplains) {
  Client c;
  c.output(c.node("Sqrt", {c.x}, {1, 2}));
  const ClientParts parts = c.parts({0.01});
  EXPECT_THAT(shown(parts, {-0.0099, 4}), ElementsAre(0, 2));
  EXPECT_THAT(refused(parts, {4, -0.02}), HasSubstr("element 1"));
  EXPECT_THAT(refused(parts, {4, -0.02}), HasSubstr("Sqrt takes numbers from 0 to inf"));
  EXPECT_THAT(shown(c.parts(), {-5, 4}), ElementsAre(0, 2)) << "while a model is compiled, no error is known";
}

/// Where(IsNaN(Log(x)), -9, Log(x)).
TEST(ClientGuards, GiveNanWhereTheModelLooksForIt) {
  Client c;
  const TensorId log = c.node("Log", {c.x}, {1, 2}), isnan = c.node("IsNaN", {log}, {1, 2});
  c.graph.tensors[isnan].integral = true;
  c.output(c.node("Where", {isnan, c.constant({1, 1}, {-9}), log}, {1, 2}));
  const ClientParts parts = c.parts({0.01});
  EXPECT_THAT(shown(parts, {-1, 1}), ElementsAre(-9, 0));
  EXPECT_THAT(refused(parts, {-0.005, 1}), HasSubstr("noise decides whether Log has a result"));
  EXPECT_THAT(refused(parts, {1, 0.005}), HasSubstr("noise"));
  EXPECT_THAT(shown(c.parts(), {-1, 1}), ElementsAre(-9, 0)) << "while a model is compiled";
}

// The probe of the guards is made once. How far their numbers move depends on the input.
TEST(ClientGuards, AClientThatRunsManyInputsHoldsEachToItsOwnErrors) {
  Client c;
  c.output(c.node("Log", {c.node("Sqrt", {c.x}, {1, 2})}, {1, 2}));
  const ClientParts parts = c.parts({0.01});
  const std::vector<ClientRun> runs(2, ClientRun(parts));
  const auto told = [](const auto& body) {
    std::vector<double> outputs;
    const std::string refusal = base::refusal([&] { outputs = body(); });
    return std::pair(outputs, refusal);
  };
  const std::vector<Reals> inputs{{4, 9}, {4, 0.0001}, {1e4, 1e4}, {-5, 4}, {4, 9}};
  int refused_inputs = 0;
  for (const Reals& x : inputs) {
    const auto once = told([&] { return shown(parts, x); });
    refused_inputs += once.second == base::kNotRefused ? 0 : 1;
    for (const ClientRun& run : runs)
      EXPECT_EQ(told([&] { return run.after(std::vector<Reals>{x}).at(0).data; }), once);
  }
  EXPECT_EQ(refused_inputs, 2);
  EXPECT_FALSE(GuardMoves(parts.after).guards().empty());
  EXPECT_TRUE(GuardMoves(c.parts().after).guards().empty()) << "no errors were noted";
}

TEST(ClientGuards, EndsOfArcFunctionsAndPowers) {
  Client acos;
  acos.output(acos.node("Acos", {acos.x}, {1, 2}));
  EXPECT_THAT(shown(acos.parts({1e-3}), {1.0005, -1.0005}), ElementsAre(0, std::acos(-1)));
  EXPECT_THAT(refused(acos.parts({1e-3}), {1.1, 0}), HasSubstr("farther outside"));
  Client power;
  power.output(power.node("Pow", {power.x, power.constant({}, {0.5})}, {1, 2}));
  EXPECT_THAT(shown(power.parts({1e-3}), {-5e-4, 9}), ElementsAre(0, 3));
}

TEST(ClientGuards, RefuseWhatDividesByNoise) {
  Client log;
  log.output(log.node("Log", {log.x}, {1, 2}));
  const ClientParts parts = log.parts({1e-4});
  EXPECT_THAT(shown(parts, {1, std::exp(1.0)}), ElementsAre(0, 1));
  EXPECT_THAT(refused(parts, {1, 5e-5}), HasSubstr("cannot be told from 0"));
  EXPECT_THAT(refused(parts, {1, -5e-5}), HasSubstr("cannot be told from 0"));
  EXPECT_THAT(refused(parts, {1, -5e-2}), HasSubstr("farther outside"));
  Client inverse;
  inverse.output(inverse.node("Div", {inverse.constant({}, {1}), inverse.x}, {1, 2}));
  EXPECT_THAT(shown(inverse.parts({1e-4}), {0.5, -4}), ElementsAre(2, -0.25));
  EXPECT_THAT(refused(inverse.parts({1e-4}), {0.5, -1e-5}), HasSubstr("Div would show noise"));
}

TEST(ClientGuards, NormalisedLinesAreRefusedWhereTheyAreNoiseAsAWhole) {
  Client c;
  c.output(c.node("LpNormalization", {c.x}, {1, 2}, {{"axis", std::int64_t{-1}}, {"p", std::int64_t{2}}}));
  EXPECT_THAT(shown(c.parts({1e-3}), {0, 2}), ElementsAre(0, 1)) << "one number of the line is enough";
  EXPECT_THAT(refused(c.parts({1e-3}), {5e-4, -9e-4}), HasSubstr("cannot be told from 0, and LpNormalization"));
}

TEST(ClientGuards, ErrorsGrowWithTheFunctionsInFront) {
  // 1000 x - 1000 carries a thousand times the error of x.
  Client c;
  const TensorId large = c.node("Mul", {c.x, c.constant({}, {1000})}, {1, 2});
  c.output(c.node("Sqrt", {c.node("Sub", {large, c.constant({}, {1000})}, {1, 2})}, {1, 2}));
  const ClientParts parts = c.parts({1e-3});
  EXPECT_THAT(shown(parts, {0.9995, 1.001}), ElementsAre(0, testing::DoubleNear(1, 1e-9)));
  EXPECT_THAT(refused(parts, {0.9985, 1}), HasSubstr("farther outside"));
}

TEST(ClientGuards, AProbabilityThatTheClientMakesIsFarFromZeroByItsOwnError) {
  // e^-20 is small, and its error smaller still: nothing is refused.
  Client c;
  const std::map<std::string, Attribute> axis{{"axis", std::int64_t{1}}};
  c.output(c.node("Log", {c.node("Softmax", {c.x}, {1, 2}, axis)}, {1, 2}));
  EXPECT_NEAR(shown(c.parts({1e-3}), {0, 20}).at(0), -20, 1e-6);
}

TEST(ClientGuards, WhatIsKnownHoldsWithoutErrors) {
  passes::Sketch s;
  const TensorId x = s.input({1, 2});
  s.output(x);
  const std::vector<Range> domains{Range{0, 1}};
  const ClientParts parts{s.graph, passes::guard_client(s.graph, 0, domains), {}};
  EXPECT_FALSE(wants_errors(parts.after));
  EXPECT_THAT(shown(parts, {-0.25, 1.5}), ElementsAre(0, 1));
}

TEST(ClientGuards, UsualDifferencesLeaveOutTwoSamplesOfAHundred) {
  EXPECT_THAT(usual_differences({{{1, 2}, {3}}, {{0, 0}, {5}}}, {{{1, 2.5}, {3}}, {{-1, 0}, {5}}}), ElementsAre(1, 0));
  EXPECT_TRUE(usual_differences({}, {}).empty());
  std::vector<std::vector<Reals>> exact(100, {{0, 0}}), inexact = exact;
  for (std::size_t s = 0; s < inexact.size(); ++s) inexact[s][0][1] = s < 2 ? 1000.0 : static_cast<double>(s) / 100;
  EXPECT_THAT(usual_differences(exact, inexact), ElementsAre(0.99));
}

/// A step decides by noise beside its jump, and there alone.
TEST(ClientGuards, AnswersThatNoiseDecidesAreRefused) {
  Client c;
  c.output(c.node("Sign", {c.x}, {1, 2}));
  ClientParts parts = c.parts({1e-3});
  settle_answers(parts, {{{1, -2}}, {{-3, 0.5}}, {{2, 2}}});
  EXPECT_THAT(shown(parts, {0.01, -0.01}), ElementsAre(1, -1));
  EXPECT_THAT(refused(parts, {1, 5e-4}), HasSubstr("element 1"));
  EXPECT_THAT(refused(parts, {1, 5e-4}), HasSubstr("noise decides this answer"));
  EXPECT_EQ(parts.after.tensors[parts.after.outputs[0]].name, c.graph.tensors[c.graph.outputs[0]].name);
}

TEST(ClientGuards, AnswersMayMoveAsTheyDoOnSamples) {
  Client c;
  const TensorId steep = c.node("Mul", {c.x, c.constant({}, {1e6})}, {1, 2});
  c.output(c.node("Sigmoid", {steep}, {1, 2}));
  ClientParts calm = c.parts({1e-3}), restless = calm, unknown = calm;
  settle_answers(calm, {{{1, -2}}, {{-3, 0.5}}});
  EXPECT_THAT(shown(calm, {1, -1}), ElementsAre(1, 0));
  EXPECT_THAT(refused(calm, {0, 1}), HasSubstr("noise decides this answer"));
  settle_answers(restless, {{{0, -2}}, {{-3, 0}}});
  EXPECT_THAT(shown(restless, {0, 1}), ElementsAre(0.5, 1)) << "its stated error says so";
  EXPECT_THAT(shown(unknown, {0, 1}), ElementsAre(0.5, 1)) << "no sample says how far it may move";
}

/// "Is it active": a truth value that becomes a number again.
TEST(ClientGuards, StepsThroughTruthValuesAreNoticed) {
  Client c;
  const TensorId rectified = c.node("Relu", {c.x}, {1, 2});
  const TensorId active = c.node("Cast", {rectified}, {1, 2}, {{"to", std::int64_t{9}}});
  c.graph.tensors[active].integral = true;
  c.output(c.node("Cast", {active}, {1, 2}, {{"to", std::int64_t{1}}}));
  ClientParts parts = c.parts({1e-6});
  settle_answers(parts, {{{1, -2}}, {{-3, 0.5}}});
  EXPECT_THAT(shown(parts, {0.25, -1}), ElementsAre(1, 0));
  EXPECT_THAT(refused(parts, {1e-8, 1}), HasSubstr("noise decides this answer"));
}

TEST(ClientGuards, SumsAndLabelsNeedNoSettling) {
  Client sums;
  sums.output(sums.node("Mul", {sums.x, sums.constant({}, {3})}, {1, 2}));
  EXPECT_FALSE(wants_errors(sums.parts().after));
  Client label;
  const TensorId largest =
      label.node("ArgMax", {label.x}, {1}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
  label.graph.tensors[largest].integral = true;
  label.output(largest);
  EXPECT_FALSE(wants_errors(label.parts().after));
  Client whole;
  const TensorId down = whole.node("Floor", {whole.x}, {1, 2});
  const TensorId counted = whole.node("Cast", {down}, {1, 2}, {{"to", std::int64_t{7}}});
  whole.graph.tensors[counted].integral = true;
  whole.output(counted);
  ClientParts parts = whole.parts({1e-3});
  settle_answers(parts, {{{1.5, -2.5}}});
  EXPECT_THAT(shown(parts, {1.5, 7.2}), ElementsAre(1, 7));
  EXPECT_THAT(refused(parts, {1.5, 7.0004}), HasSubstr("moves by 1"));
}

}  // namespace
}  // namespace tacit::graph
