// What is at the edges of the client's functions, and what the client keeps: through whole models, of both schemes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"
#include "runtime/compiled_model.h"
#include "session/evaluation.h"
#include "session/owner/client_half.h"
#include "session/owner/compiled_network.h"
#include "session/owner/engine.h"
#include "session/owner/halves.h"
#include "session/owner/integers/client_on_integers.h"
#include "session/owner/kept_inputs.h"
#include "session/owner/small_perceptron_for_test.h"
#include "session/owner/stages_for_test.h"

namespace tacit::session {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Sample = std::vector<graph::Tensor>;

struct Model : graph::passes::Sketch {
  graph::TensorId axes(double axis) {
    const graph::TensorId id = constant({1}, {axis});
    graph.tensors[id].integral = true;
    graph.constants.back().integral = true;
    return id;
  }
};

/// Normal numbers of the shapes of the inputs.
std::vector<Sample> normal_samples(const graph::Graph& graph, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> number;
  std::vector<Sample> samples(count);
  for (Sample& sample : samples)
    for (const graph::TensorId id : graph.inputs) {
      const graph::Shape& shape = graph.tensors[id].shape;
      std::vector<double> data(static_cast<std::size_t>(graph::element_count(shape)));
      for (double& x : data) x = number(random);
      sample.push_back({shape, std::move(data), false});
    }
  return samples;
}

std::unique_ptr<CompiledNetwork> on_slots(const graph::Graph& graph, const std::vector<Sample>& calibration) {
  graph::CompileOptions options;
  options.calibration = calibration;
  return network_on_slots(compile_graph("edges", graph, options, base::Progress::silent()), {});
}

std::unique_ptr<CompiledNetwork> on_integers(const graph::Graph& graph, const std::vector<Sample>& calibration) {
  graph::quant::CompileOptions options;
  options.calibration = calibration;
  return network_on_integers(compile_graph_on_integers("edges", graph, options, {}, base::Progress::silent()));
}

constexpr std::int64_t kTemplates = 5, kFeatures = 8;

std::vector<double> templates() {
  std::mt19937 random(7);
  std::normal_distribution<double> number;
  std::vector<double> all(kTemplates * kFeatures);
  for (double& x : all) x = number(random);
  return all;
}

/// The nearest of five templates: squares, their sum, a root and the least.
graph::Graph nearest() {
  Model m;
  const graph::TensorId x = m.input({1, 1, kFeatures});
  const graph::TensorId d =
      m.node("Sub", {x, m.constant({1, kTemplates, kFeatures}, templates())}, {1, kTemplates, kFeatures});
  const graph::TensorId q = m.node("Mul", {d, d}, {1, kTemplates, kFeatures});
  const graph::TensorId s = m.node("ReduceSum", {q, m.axes(2)}, {1, kTemplates}, {{"keepdims", std::int64_t{0}}});
  const graph::TensorId y = m.node("Sqrt", {s}, {1, kTemplates});
  m.output(m.node("ArgMin", {y}, {1}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}}));
  m.graph.tensors[m.graph.outputs[0]].integral = true;
  return m.graph;
}

TEST(ClientEdges, ADistanceOfZeroIsTheLeast) {
  constexpr std::int64_t kRows = 50;
  const graph::Graph graph = nearest();
  const std::vector<Sample> calibration = normal_samples(graph, 300, 1);
  const std::vector<double> all = templates();
  for (const auto& network : {on_slots(graph, calibration), on_integers(graph, calibration)}) {
    const std::unique_ptr<Engine> engine = network->simulated();
    for (std::int64_t row = 0; row < kRows; ++row) {
      const auto begin = all.begin() + row % kTemplates * kFeatures;
      const Sample sample{{{1, 1, kFeatures}, {begin, begin + kFeatures}, false}};
      EXPECT_THAT(engine->infer({&sample, 1}).outputs.at(0).at(0).data, ElementsAre(row % kTemplates)) << row;
    }
  }
}

TEST(ClientEdges, TheNormOfARowOfZerosIsNearZero) {
  Model m;
  const graph::TensorId h =
      m.node("MatMul", {m.input({1, 3}), m.constant({3, 2}, {1, -0.5, 0.3, 0.2, 0.7, -1})}, {1, 2});
  m.output(m.node("ReduceL2", {h}, {1, 1}, {{"axes", std::vector<std::int64_t>{1}}}));
  const std::vector<Sample> calibration = normal_samples(m.graph, 300, 2);
  const auto network = on_slots(m.graph, calibration);
  const std::unique_ptr<Engine> engine = network->simulated();
  const Sample zeros{{{1, 3}, {0, 0, 0}, false}};
  for (int draw = 0; draw < 30; ++draw) {
    const double norm = engine->infer({&zeros, 1}).outputs.at(0).at(0).data.at(0);
    EXPECT_GE(norm, 0);
    EXPECT_LT(norm, 0.02);
  }
}

/// The cosine of a row and a fixed direction, by the model's own division, and its angle.
graph::Graph angle() {
  Model m;
  const graph::TensorId x = m.input({1, 3});
  const graph::TensorId dot = m.node("MatMul", {x, m.constant({3, 1}, {0.6, 0, 0.8})}, {1, 1});
  const graph::TensorId norm = m.node("ReduceL2", {x}, {1, 1}, {{"axes", std::vector<std::int64_t>{1}}});
  m.output(m.node("Acos", {m.node("Div", {dot, norm}, {1, 1})}, {1, 1}));
  return m.graph;
}

TEST(ClientEdges, TheAngleOfAnEqualDirectionIsNearZero) {
  const graph::Graph graph = angle();
  const auto network = on_slots(graph, normal_samples(graph, 300, 3));
  const std::unique_ptr<Engine> engine = network->simulated();
  for (const double length : {0.5, 1.0, 2.0})
    for (int draw = 0; draw < 10; ++draw) {
      const Sample equal{{{1, 3}, {0.6 * length, 0, 0.8 * length}, false}};
      EXPECT_NEAR(engine->infer({&equal, 1}).outputs.at(0).at(0).data.at(0), 0, 0.03);
      const Sample opposite{{{1, 3}, {-0.6 * length, 0, -0.8 * length}, false}};
      EXPECT_NEAR(engine->infer({&opposite, 1}).outputs.at(0).at(0).data.at(0), std::acos(-1), 0.03);
    }
}

TEST(ClientEdges, AWeightByADistanceOfZeroIsAMiss) {
  Model m;
  const graph::TensorId x = m.input({1, 3});
  const graph::TensorId h = m.node("MatMul", {x, m.constant({3, 1}, {1, 2, -1})}, {1, 1});
  m.output(m.node("Reciprocal", {m.node("Mul", {h, h}, {1, 1})}, {1, 1}));
  const auto network = on_slots(m.graph, normal_samples(m.graph, 300, 4));
  const std::unique_ptr<Engine> engine = network->simulated();
  const Sample far{{{1, 3}, {1, 1, 0}, false}}, zero{{{1, 3}, {1, 0, 1}, false}};
  EXPECT_NEAR(engine->infer({&far, 1}).outputs.at(0).at(0).data.at(0), 1.0 / 9, 1e-3);
  for (int draw = 0; draw < 10; ++draw) EXPECT_TRUE(engine->infer({&zero, 1}).refusals.at(0).has_value());
}

/// A price that is also an output, beside a layer.
graph::Graph with_price() {
  Model m;
  const graph::TensorId price = m.input({1, 1}, "price"), x = m.input({1, 4});
  m.output(m.node("Identity", {price}, {1, 1}));
  m.output(m.node("MatMul", {x, m.constant({4, 2}, {1, 0.5, -1, 0.25, 0.5, 1, 0, -0.5})}, {1, 2}));
  return m.graph;
}

Sample priced(double price) { return {{{1, 1}, {price}, false}, {{1, 4}, {0.5, -0.25, 0.75, 1}, false}}; }

TEST(ClientEdges, AnInputThatIsAnOutputComesBackAsItIs) {
  const graph::Graph graph = with_price();
  const std::vector<Sample> calibration = normal_samples(graph, 30, 5);
  for (const auto& network : {on_slots(graph, calibration), on_integers(graph, calibration)}) {
    const Sample sample = priced(931188.75);
    const auto outputs = network->simulated()->infer({&sample, 1}).outputs.at(0);
    EXPECT_THAT(outputs.at(0).data, ElementsAre(931188.75));
    EXPECT_NEAR(outputs.at(1).data.at(0), 0.5 + 0.25 + 0.375, 0.01);
  }
}

TEST(ClientEdges, KeptInputsAreReadBesideTheQuestion) {
  const base::TemporaryFolder folder;
  const auto file = [&](const char* name) { return folder.path() / name; };
  graph::CompileOptions options;
  options.calibration = normal_samples(with_price(), 30, 5);
  options.parameters = small_insecure_literal();
  const Halves halves = halves_of(compile_graph("priced", with_price(), options, base::Progress::silent()));
  runtime::save(halves.server, file("server"));
  runtime::save(halves.client, file("client"));
  const std::unique_ptr<ClientHalf> client = load_client_half(file("client"));
  client->generate_keys({file("secret"), file("keys"), {}}, {}, base::Progress::silent());
  const std::size_t batch = client->batch();
  const std::unique_ptr<InputEncryptor> encryptor = client->encryptor({file("secret")}, file("x"), {2, batch});
  const std::vector<Sample> samples{priced(315159.71875), priced(931188.75)};
  for (std::size_t i = 0; i < samples.size(); i += batch)
    encryptor->add(std::span(samples).subspan(i, std::min(batch, samples.size() - i)));
  encryptor->finish();
  ASSERT_TRUE(std::filesystem::exists(KeptInputs::beside(file("x"))));
  EvaluationFiles files;
  files.model = file("server");
  files.keys = file("keys");
  files.input = file("x");
  files.output = file("y");
  StagesForTest stages;
  evaluate(
      files, {}, [](const params::ParameterIdentity&) {}, stages);

  const std::unique_ptr<ResultFile> results = client->results({file("secret"), file("y"), file("x"), {}});
  EXPECT_THAT(results->left_out(), IsEmpty());
  std::vector<Sample> answers;
  for (std::size_t run = 0; run < results->batched().samples(); ++run)
    for (Sample& answer : results->read(run)) answers.push_back(std::move(answer));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_THAT(answers[0].at(0).data, ElementsAre(315159.71875));
  EXPECT_THAT(answers[1].at(0).data, ElementsAre(931188.75));
  EXPECT_NEAR(answers[1].at(1).data.at(0), 1.125, 1e-3);

  const std::unique_ptr<ResultFile> others = client->results({.key = file("secret"), .results = file("y")});
  EXPECT_THAT(others->left_out(), ElementsAre(with_price().tensors[with_price().outputs[0]].name));
  ASSERT_EQ(others->read(0).at(0).size(), 1u) << "the other output is shown";
  EXPECT_NEAR(others->read(0)[0][0].data.at(0), 1.125, 1e-3);
}

// The client's half has no program: its plan says whether there is room.
TEST(ClientEdges, APublicKeyNeedsRoomForItsNoise) {
  const auto objection = [](const std::string& plan) {
    runtime::IntegerClientModel model;
    model.name = "sums";
    model.plan = plan;
    return base::refusal([&] { ClientOnIntegers::require_room_for_public_key(model); });
  };
  EXPECT_EQ(objection(R"({"public_key": {"refused": null}})"), base::kNotRefused);
  EXPECT_EQ(objection(R"({"public_key": {"refused": "layer 'y': no room"}})"),
            "model 'sums' has no public key: layer 'y': no room");
  EXPECT_THAT(objection("{}"), ::testing::HasSubstr("compile the model again, or encrypt with the secret key"));
  for (const char* damaged : {"", R"({"public_key": 1})", R"({"public_key": {}})", R"({"public_key": {"refused": 1}})"})
    EXPECT_THAT(objection(damaged), ::testing::HasSubstr("the plan in the client's half")) << damaged;
}

}  // namespace
}  // namespace tacit::session
