#include "graph/serialize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "graph/limits.h"
#include "graph/passes/sketch.h"

namespace tacit::graph {
namespace {

TEST(Serialize, ClientPartsWithNamesOfAnyLengthSurviveTheRoundTrip) {
  passes::Sketch s;
  const TensorId x = s.input({1}, "");
  s.output(s.node("Neg", {x}, {1}));
  for (Node& node : s.graph.nodes) node.name.clear();
  for (TensorInfo& tensor : s.graph.tensors) tensor.name.clear();
  for (const char* const name : {"", "n", "a longer name of a node"})
    for (const bool before : {true, false}) {
      const ClientParts parts{before ? s.graph : Graph{}, before ? Graph{} : s.graph, {{name, "Neg", before, 3}}};
      const std::vector<std::uint8_t> bytes = to_bytes(parts);
      const ClientParts read = client_parts_from_bytes(bytes);
      EXPECT_EQ(to_bytes(read), bytes) << name;
      ASSERT_EQ(read.nodes.size(), 1u);
      EXPECT_EQ(read.nodes[0].name, name);
      EXPECT_EQ(read.nodes[0].learned, 3);
    }
}

TEST(Serialize, ClientPartsThatAnnounceMoreThanFollowsAreRefused) {
  const std::vector<std::uint8_t> bytes = to_bytes(ClientParts{{}, {}, {{"", "", true, 3}}});
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(client_parts_from_bytes(std::span(bytes).first(size)), base::InputError) << size;
}

/// What is said of a client's part once it was changed: x, a constant, and their sum; then the sum's negation.
std::string client_refusal(const std::function<void(Graph&)>& change) {
  passes::Sketch s;
  const TensorId x = s.input({2});
  s.output(s.node("Neg", {s.node("Add", {x, s.constant({2}, {1, 2})}, {2})}, {2}));
  change(s.graph);
  return base::refusal([&] { client_parts_from_bytes(to_bytes(ClientParts{{}, s.graph, {}})); });
}
constexpr TensorId kX = 0, kConstant = 1, kSum = 2, kNegation = 3, kTensors = 4;

TEST(Serialize, PartsThatDoNotFitTogetherAreRefused) {
  using testing::HasSubstr;
  EXPECT_EQ(client_refusal([](Graph&) {}), base::kNotRefused);
  EXPECT_THAT(client_refusal([](Graph& g) { g.nodes[1].outputs = {kX}; }), HasSubstr("the tensor 'x' is made twice"));
  EXPECT_THAT(client_refusal([](Graph& g) { g.nodes[1].outputs = {kConstant}; }),
              HasSubstr("the tensor 'k1' is made twice"));
  EXPECT_THAT(client_refusal([](Graph& g) { g.inputs = {kX, kX}; }), HasSubstr("the tensor 'x' is made twice"));
  EXPECT_THAT(client_refusal([](Graph& g) { g.inputs = {kConstant}; }), HasSubstr("the tensor 'k1' is made twice"));
  EXPECT_THAT(client_refusal([](Graph& g) { std::swap(g.nodes[0], g.nodes[1]); }),
              HasSubstr("node 'Neg1' reads a tensor before it is made"));
  EXPECT_THAT(client_refusal([](Graph& g) { g.nodes.pop_back(); }), HasSubstr("nothing makes an output"));
  EXPECT_EQ(client_refusal([](Graph& g) { g.outputs = {kX, kConstant, kSum}; }), base::kNotRefused);
  EXPECT_THAT(client_refusal([](Graph& g) { g.nodes[1].op = "Frobnicate"; }),
              HasSubstr("the operator 'Frobnicate' is not known"));
  EXPECT_NE(client_refusal([](Graph& g) { g.tensors[kSum].shape = {3}; }), base::kNotRefused)
      << "a sum of two has two elements";
}

TEST(Serialize, ConstantsFillTheirShapesAndHaveTheirTexts) {
  using testing::HasSubstr;
  EXPECT_THAT(client_refusal([](Graph& g) { g.tensors[kConstant].constant = 1; }), HasSubstr("a constant is missing"));
  EXPECT_THAT(client_refusal([](Graph& g) { g.tensors[kConstant].constant = std::int64_t{1} << 24; }),
              HasSubstr("a constant is missing"));
  EXPECT_THAT(client_refusal([](Graph& g) { g.tensors[kConstant].constant = (std::int64_t{1} << 24) + 1; }),
              HasSubstr("the number of a constant"));
  EXPECT_THAT(client_refusal([](Graph& g) { g.tensors[kConstant].constant = -2; }),
              HasSubstr("the number of a constant"));
  EXPECT_THAT(client_refusal([](Graph& g) {
                g.tensors[kConstant].shape = {1, 2};
              }),
              HasSubstr("a constant has another shape than its tensor"));
  for (const std::vector<double>& data : {std::vector<double>{1}, {1, 2, 3}})
    EXPECT_THAT(client_refusal([&](Graph& g) { g.constants[0].data = data; }),
                HasSubstr("a constant does not fill its shape"));
  // Elements are places in the list of texts. Nothing reads the constant here.
  const auto of_texts = [](const std::vector<double>& places) {
    return client_refusal([&](Graph& g) {
      g.nodes[0].inputs = {kX, kX};
      g.tensors[kConstant].text = true;
      g.constants[0].texts = {"a", "b"};
      g.constants[0].data = places;
    });
  };
  EXPECT_EQ(of_texts({0, 1}), base::kNotRefused);
  for (const std::vector<double>& places : {std::vector<double>{0, 2}, {-1, 1}, {0.5, 1}})
    EXPECT_THAT(of_texts(places), HasSubstr("a text of a constant is missing")) << places[0] << " " << places[1];
}

TEST(Serialize, TensorsAreOfKnownTypesAndNumbers) {
  using testing::HasSubstr;
  const std::string unknown = "a tensor has an unknown type";
  EXPECT_THAT(client_refusal([](Graph& g) { g.tensors[kX].integral = g.tensors[kX].text = true; }), HasSubstr(unknown));
  EXPECT_EQ(client_refusal([](Graph& g) { g.tensors[kX].rounding = FloatFormat::bfloat16; }), base::kNotRefused);
  EXPECT_THAT(client_refusal([](Graph& g) { g.tensors[kX].rounding = static_cast<FloatFormat>(4); }),
              HasSubstr(unknown));
  EXPECT_EQ(client_refusal([](Graph& g) { g.tensors[kX].integers = IntegerType::uint64; }), base::kNotRefused);
  EXPECT_THAT(client_refusal([](Graph& g) { g.tensors[kX].integers = static_cast<IntegerType>(11); }),
              HasSubstr(unknown));
  const std::string number = "the number of a tensor";
  EXPECT_THAT(client_refusal([](Graph& g) { g.outputs = {kTensors}; }), HasSubstr(number));
  EXPECT_THAT(client_refusal([](Graph& g) { g.outputs = {kNoTensor}; }), HasSubstr(number));
  EXPECT_THAT(client_refusal([](Graph& g) { g.inputs = {kNoTensor}; }), HasSubstr(number));
  EXPECT_THAT(client_refusal([](Graph& g) { g.nodes[0].inputs = {kX, kTensors}; }), HasSubstr(number));
  EXPECT_THAT(client_refusal([](Graph& g) { g.nodes[1].outputs = {kTensors}; }), HasSubstr(number));
  EXPECT_EQ(client_refusal([](Graph& g) {
              g.nodes[1] = {"Clip", "n", {kSum, kNoTensor, kNoTensor}, {kNegation}, {}};
            }),
            base::kNotRefused)
      << "inputs may be absent";
}

TEST(Serialize, TextsAndElementsAreBounded) {
  using testing::HasSubstr;
  EXPECT_EQ(client_refusal([](Graph& g) { g.name = std::string(1 << 16, 'g'); }), base::kNotRefused);
  EXPECT_THAT(client_refusal([](Graph& g) { g.name = std::string((1 << 16) + 1, 'g'); }),
              HasSubstr("a text of 65537 bytes does not fit"));
  // Three tensors of two elements that are no constants, and one more.
  const auto more = [](std::int64_t elements) {
    return client_refusal([&](Graph& g) { g.tensors.push_back({.name = "more", .shape = {elements}}); });
  };
  EXPECT_EQ(more(kMostActivations - 6), base::kNotRefused);
  EXPECT_THAT(more(kMostActivations - 5), HasSubstr("its tensors up to one of shape [16777211] have 16777217 elements, "
                                                    "and 16777216 are the most of a client's part"));
}

// What a count may promise is bounded by the bytes that follow: by no more than the items take.
TEST(Serialize, ManySmallItemsSurviveTheRoundTrip) {
  constexpr std::size_t kMany = 1000;
  const auto survives = [](const ClientParts& parts) {
    const std::vector<std::uint8_t> bytes = to_bytes(parts);
    return to_bytes(client_parts_from_bytes(bytes)) == bytes;
  };
  EXPECT_TRUE(survives({{}, {}, {{"", "", true, 3}}}));
  EXPECT_TRUE(survives({{}, {}, std::vector<ClientNode>(kMany, {"", "", false, 0})}));
  Graph tensors;
  tensors.tensors.resize(kMany);
  EXPECT_TRUE(survives({{}, tensors, {}}));
  passes::Sketch s;
  s.output(s.node("Sum", std::vector<TensorId>(kMany, s.input({})), {}));
  EXPECT_TRUE(survives({{}, s.graph, {}})) << "inputs of a node";
  const TensorId sum = s.graph.outputs[0];
  s.graph.outputs.assign(kMany, sum);
  EXPECT_TRUE(survives({{}, s.graph, {}})) << "outputs";
  s.constant({kMany}, std::vector<double>(kMany, 1.5));
  EXPECT_TRUE(survives({{}, s.graph, {}})) << "numbers";
  s.constant({}, {0});
  s.graph.constants.back().texts.resize(kMany);
  s.graph.tensors.back().text = true;
  EXPECT_TRUE(survives({{}, s.graph, {}})) << "texts";
}

}  // namespace
}  // namespace tacit::graph
