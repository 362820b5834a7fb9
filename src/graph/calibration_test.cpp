#include "graph/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/refusal_for_test.h"
#include "graph/passes/sketch.h"
#include "graph/serialize.h"

namespace tacit::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Graph negation() {
  passes::Sketch s;
  s.output(s.node("Neg", {s.input({2})}, {2}));
  return s.graph;
}

// What was measured and what is asked for, and how to get out of it.
TEST(Calibration, IsOfTheChoicesThatAreAskedFor) {
  const Graph graph = negation();
  const auto said = [&](const std::function<void(CalibrationChoices&)>& change) {
    Calibration measured;
    measured.model = digest(graph);
    CalibrationChoices asked;
    change(asked);
    return base::refusal([&] { require_fits(measured, graph, asked); });
  };
  EXPECT_EQ(said([](CalibrationChoices&) {}), base::kNotRefused);
  EXPECT_EQ(
      said([](CalibrationChoices& c) { c.batch = 8; }),
      "the ranges were measured for --batch 1, and this compilation has 8: give the same, or run 'tacit calibrate' "
      "with what you give here");
  EXPECT_THAT(said([](CalibrationChoices& c) { c.batch.reset(); }),
              HasSubstr("--batch 1, and this compilation has auto"));
  EXPECT_THAT(said([](CalibrationChoices& c) { c.max_degree = 27; }),
              HasSubstr("--max-degree 59, and this compilation has 27"));
  EXPECT_THAT(said([](CalibrationChoices& c) { c.max_value_degree = 59; }),
              HasSubstr("degrees of values (--max-degree) up to 959, and this compilation has 59"));
  EXPECT_THAT(said([](CalibrationChoices& c) { c.max_error = 0.25; }),
              HasSubstr("--max-polynomial-error 0.1, and this compilation has 0.25"));
  EXPECT_THAT(said([](CalibrationChoices& c) { c.client_before = false; }),
              HasSubstr("--client-before on, and this compilation has off"));
  EXPECT_THAT(said([](CalibrationChoices& c) { c.client_after = false; }),
              HasSubstr("client_after on, and this compilation has off"));
  EXPECT_THAT(said([](CalibrationChoices& c) {
                c.keep_private = {"a", "b"};
              }),
              HasSubstr("--keep-private [], and this compilation has [a, b]"));
  EXPECT_THAT(said([](CalibrationChoices& c) { c.parameters = params::named_literal("N15-d15"); }),
              AllOf(HasSubstr("--parameters chosen by price, and this compilation has {"), HasSubstr("N15-d15")));
  EXPECT_THAT(said([](CalibrationChoices& c) {
                c.sharing = params::Sharing{.bits = 2, .statistical_bits = 40, .decryptions = 1024};
              }),
              HasSubstr("--share none, and this compilation has 2 (40 statistical bits, 1024 decryptions)"));
}

TEST(Calibration, IsOfTheModelThatIsCompiled) {
  const Graph graph = negation();
  Graph other = graph;
  other.nodes[0].op = "Abs";
  Calibration measured;
  measured.model = digest(other);
  const auto shown = [](const base::Digest& digest) { return base::hexadecimal(std::span(digest).first(8)); };
  EXPECT_THAT(base::refusal([&] { require_fits(measured, graph, {}); }),
              HasSubstr("measured on another model (digest " + shown(digest(other)) + "…; this one has " +
                        shown(digest(graph)) + "…): run 'tacit calibrate'"));
}

TEST(Calibration, ADigestIsOfAllThatAModelIs) {
  passes::Sketch s;
  s.output(s.node("Add", {s.input({2}), s.constant({2}, {1, 2})}, {2}));
  const std::vector<std::function<void(Graph&)>> changes{
      [](Graph& g) { g.name = "g"; },
      [](Graph& g) { g.constants[0].data[1] = 3; },
      [](Graph& g) {
        g.constants[0].shape = {2, 1};
      },
      [](Graph& g) { g.constants[0].integral = true; },
      [](Graph& g) { g.tensors[0].name = "z"; },
      [](Graph& g) { g.tensors[0].rounding = FloatFormat::float32; },
      [](Graph& g) { g.tensors[0].integers = IntegerType::int8; },
      [](Graph& g) { g.tensors[0].integral = true; },
      [](Graph& g) { g.tensors[0].text = true; },
      [](Graph& g) { g.nodes[0].op = "Sub"; },
      [](Graph& g) { g.nodes[0].name = "n"; },
      [](Graph& g) {
        g.nodes[0].inputs = {1, 0};
      },
      [](Graph& g) { g.nodes[0].attributes["a"] = std::int64_t{1}; },
      [](Graph& g) { g.inputs.clear(); },
      [](Graph& g) { g.outputs = {0}; },
  };
  std::set<base::Digest> digests{digest(s.graph)};
  for (const auto& change : changes) {
    Graph changed = s.graph;
    change(changed);
    digests.insert(digest(changed));
  }
  EXPECT_EQ(digests.size(), changes.size() + 1);
}

}  // namespace
}  // namespace tacit::graph
