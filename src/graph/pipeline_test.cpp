#include "graph/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "base/refusal_for_test.h"
#include "graph/compile.h"
#include "graph/quant/compiled_for_test.h"
#include "program/integers/bootstraps.h"

namespace tacit::graph {
namespace {

using base::expect_refusal;
using quant::two_inputs_with_a_branch_around;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr Target kTargets[] = {Target::slots, Target::integers};

/// Commands that need what the last passes make.
const std::set<std::string> kCommands{"encrypt", "decrypt", "validate", "plan"};

TEST(Pipeline, EveryPassHasANameOfItsOwnAndSaysWhatItDoes) {
  std::set<std::string> names;
  for (const Pass& pass : all_passes()) {
    const std::string name = pass.name, what = pass.what;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(std::ranges::all_of(name, [](char c) { return std::islower(c) != 0 || c == '-'; })) << name;
    EXPECT_TRUE(what.size() > 10 && !what.ends_with('.') && std::islower(what[0]) != 0) << name;
    EXPECT_TRUE(pass.is_for(Target::slots) || pass.is_for(Target::integers)) << name;
    EXPECT_TRUE(!pass.shows.text || pass.shows.what) << name;
  }
}

TEST(Pipeline, EveryPassReadsTheFormThatThePassBeforeItMakes) {
  for (const Target target : kTargets) {
    Form form = Form::file;
    for (const Pass& pass : all_passes()) {
      if (!pass.is_for(target) || pass.within) continue;
      EXPECT_EQ(pass.from, form) << pass.name;
      EXPECT_GE(pass.to, pass.from) << pass.name;
      EXPECT_TRUE(pass.from == pass.to || !pass.is_optional()) << pass.name << " makes a form that nothing else makes";
      form = pass.to;
    }
    EXPECT_EQ(form, Form::model);
  }
}

TEST(Pipeline, APassIsNeededByALaterOneAndIsWithinAnEarlierOne) {
  for (const Target target : kTargets) {
    std::set<std::string> earlier, needed;
    for (const Pass& pass : all_passes()) {
      if (!pass.is_for(target)) continue;
      needed.erase(pass.name);
      if (pass.within) {
        EXPECT_TRUE(earlier.contains(pass.within)) << pass.name;
        EXPECT_TRUE(pass.is_optional() || std::string(pass.needed_by) == pass.within) << pass.name;
      } else if (!pass.is_optional() && !kCommands.contains(pass.needed_by)) {
        EXPECT_FALSE(earlier.contains(pass.needed_by)) << pass.name;
        needed.insert(pass.needed_by);
      }
      earlier.insert(pass.name);
    }
    EXPECT_THAT(needed, testing::IsEmpty()) << "no later pass has these names";
  }
}

TEST(Pipeline, BothTargetsBeginAndEndAlike) {
  std::vector<std::string> shared;
  for (const Pass& pass : all_passes())
    if (pass.is_for(Target::slots) && pass.is_for(Target::integers)) shared.emplace_back(pass.name);
  EXPECT_THAT(shared, ElementsAre("import", "write-out", "assign-parties", "client-samples", "relu-behind-pools",
                                  "write-out-maxima", "recognise", "require-samples", "linearise", "fold", "calibrate",
                                  "search", "parameters", "program", "client", "guards"));
  EXPECT_THAT(optional_passes(Target::integers),
              ElementsAre("relu-behind-pools", "fold", "fold-into-leaves", "join-sums", "narrow-features"));
}

TEST(Pipeline, RefusesNamesThatACompilerDoesNotHave) {
  const auto refused = [](PassControl control, Target target, const std::string& sentence) {
    expect_refusal<base::InputError>([&] { check(control, target); }, sentence);
  };
  for (const Target target : kTargets) {
    refused({.skipped = {"fuse"}}, target,
            "there is no pass 'fuse' (--passes); possible names: relu-behind-pools, fold");
    refused({.explained = {"all", "fold"}}, target, "there is no pass 'all' (--explain); possible names: import, ");
    refused({.skipped = {"fold", "recognise"}}, target,
            "pass 'recognise' cannot be left out (--passes), because 'linearise' needs it; possible names: ");
    refused({.explained = {"guards"}}, target, "pass 'guards' has nothing to show (--explain); possible names: ");
    check({.skipped = {"fold"}, .explained = {"fold", "program"}}, target);
  }
  refused({.skipped = {"stretch"}}, Target::integers,
          "networks on integers have no pass 'stretch' (--passes), which belongs to --scheme ckks; possible names: ");
  refused({.explained = {"fold-into-leaves"}}, Target::slots,
          "networks on slots have no pass 'fold-into-leaves' (--explain), which belongs to --scheme tfhe; possible");
}

TEST(Pipeline, CompilersCheckTheirControl) {
  const Graph graph = two_inputs_with_a_branch_around();
  CompileOptions on_slots;
  on_slots.passes.skipped = {"join-sums"};
  expect_refusal<base::InputError>([&] { compile(graph, on_slots); }, "networks on slots have no pass 'join-sums'");
  quant::CompileOptions on_integers;
  on_integers.passes.skipped = {"linearise"};
  expect_refusal<base::InputError>([&] { quant::compile(graph, on_integers); },
                                   "pass 'linearise' cannot be left out (--passes), because 'calibrate' needs it");
}

TEST(Pipeline, AControlForATargetHasTheNamesOfTheTargetAlone) {
  const PassControl both{.skipped = {"fold", "join-sums"},
                         .explain = [](const std::string&, const std::string&) {},
                         .explained = {"degrees", "fold"}};
  const PassControl integers = for_target(both, Target::integers), slots = for_target(both, Target::slots);
  EXPECT_THAT(integers.skipped, ElementsAre("fold", "join-sums"));
  EXPECT_THAT(integers.explained, ElementsAre("fold"));
  EXPECT_THAT(slots.skipped, ElementsAre("fold"));
  EXPECT_THAT(slots.explained, ElementsAre("degrees", "fold"));
  EXPECT_FALSE(for_target({.explain = both.explain, .explained = {"degrees"}}, Target::integers).explains("fold"));
  EXPECT_TRUE(for_target({.explain = both.explain}, Target::integers).explains("fold"));
}

/// Returns the texts of an explained compilation on integers by pass, and the order of the passes.
std::pair<std::map<std::string, std::string>, std::vector<std::string>> explained_on_integers(
    const Graph& graph, quant::CompileOptions options) {
  std::map<std::string, std::string> texts;
  std::vector<std::string> order;
  options.calibration = quant::samples(graph, 300, 1);
  options.passes.explain = [&](const std::string& pass, const std::string& text) {
    if (order.empty() || order.back() != pass) order.push_back(pass);
    texts[pass] += text;
  };
  quant::compile(graph, options);
  return {texts, order};
}

TEST(Pipeline, IntegersExplainTheirPassesInOrder) {
  const auto [texts, order] = explained_on_integers(two_inputs_with_a_branch_around(), {});
  EXPECT_EQ(order, explained_passes(Target::integers));
  EXPECT_THAT(texts.at("recognise"), HasSubstr("function=Relu"));
  EXPECT_THAT(texts.at("linearise"), HasSubstr("affine"));
  EXPECT_THAT(texts.at("join-sums"), Not(HasSubstr(" in [")));
  EXPECT_THAT(texts.at("calibrate"), HasSubstr(" in ["));
  EXPECT_THAT(texts.at("search"), HasSubstr(": the cheapest so far\n"));
  EXPECT_THAT(texts.at("search"), testing::StartsWith("tables of 6 bits, 1 per bootstrap: set "));
  EXPECT_THAT(texts.at("parameters"), HasSubstr("\"lwe_dimension\""));
  EXPECT_THAT(texts.at("program"), HasSubstr("lookup"));
}

TEST(Pipeline, IntegersLeavePassesOutAndExplainSome) {
  quant::CompileOptions options;
  options.passes.skipped = {"join-sums"};
  options.passes.explained = {"join-sums", "fold", "parameters"};
  EXPECT_THAT(explained_on_integers(two_inputs_with_a_branch_around(), options).second,
              ElementsAre("fold", "parameters"));
}

/// Convolutions with a maximum and a residual sum between them.
Graph picture_network() {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> draw(-0.3, 0.3);
  passes::Sketch s;
  const std::vector<std::int64_t> around{1, 1, 1, 1}, two{2, 2};
  const auto weights = [&](const Shape& shape) {
    std::vector<double> numbers(static_cast<std::size_t>(element_count(shape)));
    for (double& x : numbers) x = draw(random);
    return s.constant(shape, numbers);
  };
  const TensorId x = s.input({1, 1, 4, 4});
  const TensorId map = s.node("Conv", {x, weights({2, 1, 3, 3})}, {1, 2, 4, 4}, {{"pads", around}});
  const TensorId relu = s.node("Relu", {map}, {1, 2, 4, 4});
  const TensorId pool = s.node("MaxPool", {relu}, {1, 2, 2, 2}, {{"kernel_shape", two}, {"strides", two}});
  const TensorId flat = s.node("Flatten", {pool}, {1, 8}, {{"axis", std::int64_t{1}}});
  const TensorId row = s.node("MatMul", {flat, weights({8, 3})}, {1, 3});
  s.output(s.node("Add", {row, s.node("Tanh", {row}, {1, 3})}, {1, 3}));
  return s.graph;
}

/// Two trees, whose answers are scaled and read by a sum.
Graph forest() {
  passes::Sketch s;
  const TensorId x = s.input({1, 3});
  const TensorId trees = s.node("ai.onnx.ml.TreeEnsembleRegressor", {x}, {1, 1}, quant::two_trees());
  s.output(s.node("Mul", {trees, s.constant({1}, {0.5})}, {1, 1}));
  return s.graph;
}

class OptionalOnIntegers : public ::testing::TestWithParam<std::string> {};

TEST_P(OptionalOnIntegers, LeaveTheAnswersAsTheyAre) {
  quant::CompileOptions without;
  without.passes.skipped = {GetParam()};
  quant::expect_near(two_inputs_with_a_branch_around(), 0.2, without);
  quant::expect_near(picture_network(), 0.2, without);
  quant::expect_near(forest(), 0.02, without);
}

INSTANTIATE_TEST_SUITE_P(All, OptionalOnIntegers, ::testing::ValuesIn(optional_passes(Target::integers)),
                         [](const ::testing::TestParamInfo<std::string>& at) {
                           std::string name = at.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tacit::graph
