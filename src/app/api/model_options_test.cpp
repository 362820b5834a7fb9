#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/model.h>
#include <tacit/tile.h>
#include <tacit/validation.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>

#include "base/refusal_for_test.h"

namespace tacit {
namespace {

using base::refusal;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const char* const kImages = TACIT_EXAMPLES "/fashion/model.onnx";

CompileOptions image_options() { return {.input_range = std::pair{-1.0, 2.1}}; }

Tensors waves(double phase) {
  Tensors image(1);
  for (int i = 0; i < 784; ++i) image[0].push_back(0.8 * std::sin(0.05 * i + phase));
  return image;
}

/// A choice that one scheme alone heeds.
struct Choice {
  std::function<void(CompileOptions&)> give;
  std::string field;
};

TEST(ModelOptions, AnOptionOfOneSchemeIsRefusedByTheOther) {
  const auto refused = [](Scheme scheme, const Choice& choice) {
    CompileOptions options = image_options();
    options.scheme = scheme;
    choice.give(options);
    return refusal([&] { compile(kImages, options); });
  };
  for (const Choice& choice :
       std::vector<Choice>{{[](CompileOptions& o) { o.max_degree = 7; }, "max-degree"},
                           {[](CompileOptions& o) { o.max_polynomial_error = 0.2; }, "max-polynomial-error"},
                           {[](CompileOptions& o) { o.costs = default_costs(); }, "costs"},
                           {[](CompileOptions& o) { o.precision = 20; }, "precision"},
                           {[](CompileOptions& o) { o.batch = 2; }, "batch"},
                           {[](CompileOptions& o) { o.batch = kCheapestBatch; }, "batch"},
                           {[](CompileOptions& o) { o.shard = {"n=x:2"}; }, "shard"}})
    EXPECT_EQ(refused(Scheme::tfhe, choice),
              "--" + choice.field + " belongs to --scheme ckks, not to integers (--scheme tfhe)");
  for (const Choice& choice : std::vector<Choice>{{[](CompileOptions& o) { o.bits = 4; }, "bits"},
                                                  {[](CompileOptions& o) { o.log2_failure = -40; }, "failure"},
                                                  {[](CompileOptions& o) { o.exact_rounding = true; }, "rounding"}})
    EXPECT_EQ(refused(Scheme::ckks, choice),
              "--" + choice.field + " belongs to networks on integers: give --scheme tfhe as well");
  EXPECT_EQ(refused(Scheme::automatic, {[](CompileOptions& o) { o.shard = {"n=x:2"}; }, ""}),
            "--shard lays out ciphertexts of slots: give --scheme ckks as well");
  EXPECT_EQ(refused(Scheme::automatic, {[](CompileOptions& o) { o.parameters = "N14-d7"; }, ""}),
            "--parameters names a set of one scheme: give --scheme ckks or --scheme tfhe as well");
  EXPECT_EQ(refused(Scheme::ckks, {[](CompileOptions& o) { o.max_degree = -1; }, ""}),
            "the highest degree (--max-degree) is -1, below 0");
}

TEST(ModelOptions, EveryRowOfTheTableIsSetByItsName) {
  const std::vector<OptionRow> table = option_table();
  EXPECT_GT(table.size(), 20u);
  CompileOptions options = image_options();
  set_option(options, "max-degree", {"7"});
  set_option(options, "scheme", {"auto"});
  set_option(options, "calibrate_trim", {"off"});
  EXPECT_EQ(options.max_degree, 7);
  EXPECT_EQ(options.scheme, Scheme::automatic);
  EXPECT_EQ(options.calibration_trim, 0);
  EXPECT_THAT(refusal([&] { set_option(options, "nothing", {"7"}); }), StartsWith("there is no option 'nothing'"));
  for (const OptionRow& row : table) {
    if (row.repeats || row.name == "passes") continue;
    EXPECT_NE(refusal([&] { set_option(options, row.name, {}); }), base::kNotRefused) << row.name;
  }
}

TEST(ModelOptions, PassesAreLeftOutAndExplained) {
  CompileOptions options = image_options();
  std::vector<std::string> told;
  options.explain = [&](const std::string& pass, const std::string&) { told.push_back(pass); };
  options.explained_passes = {"parameters"};
  options.skipped_passes = {"fold"};
  compile(kImages, options);
  EXPECT_EQ(told, (std::vector<std::string>{"parameters"}));
  options.explained_passes = {"nothing"};
  EXPECT_THAT(refusal([&] { compile(kImages, options); }), HasSubstr("nothing"));
}

TEST(ModelOptions, SamplesHaveTheTensorsAndElementsOfTheModel) {
  const auto calibrated = [](const Tensors& sample) {
    CompileOptions options = image_options();
    options.calibration = {waves(0), sample};
    return refusal([&] { compile(kImages, options); });
  };
  EXPECT_EQ(calibrated({}), "a calibration sample has 0 tensors, the model has 1 inputs");
  EXPECT_EQ(calibrated({waves(0)[0], {1}}), "a calibration sample has 2 tensors, the model has 1 inputs");
  const CompiledModel model = compile(kImages, image_options());
  const std::string ending = " elements instead of 784";
  for (const std::size_t size : {std::size_t{0}, std::size_t{783}, std::size_t{785}}) {
    const Tensors sample{std::vector<double>(size, 0.5)};
    const std::string found = refusal([&] { simulate(model, std::span(&sample, 1)); });
    EXPECT_THAT(found, StartsWith("an input for input '"));
    EXPECT_THAT(found, ::testing::EndsWith(std::string("' has ") + std::to_string(size) + ending));
  }
  EXPECT_EQ(refusal([&] {
              simulate({model.client, model.server}, {});
            }),
            "simulate: this model was read from files; compile it here");
}

// Two a run: of three inputs the last one has a run to itself.
TEST(ModelOptions, ASimulatedBatchAnswersEveryInput) {
  CompileOptions options = image_options();
  const CompiledModel one = compile(kImages, options);
  options.batch = 2;
  const CompiledModel pairs = compile(kImages, options);
  EXPECT_EQ(pairs.client.plan().batch, 2);
  const std::vector<Tensors> inputs{waves(0), waves(1), waves(2)};
  const std::vector<Tensors> found = simulate(pairs, inputs), alone = simulate(one, inputs);
  ASSERT_EQ(found.size(), 3U);
  ASSERT_EQ(alone.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(found[i].at(0).size(), 10U);
    for (std::size_t c = 0; c < 10; ++c) EXPECT_NEAR(found[i][0][c], alone[i][0][c], 1e-2) << i << " " << c;
  }
  EXPECT_GT(std::abs(found[0][0][0] - found[2][0][0]), 0.05) << "the inputs differ";
}

TEST(ModelOptions, PlansAreIndentedJsonInTheWordsOfTheModel) {
  std::ifstream file(kImages, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  for (const Scheme scheme : {Scheme::ckks, Scheme::tfhe}) {
    CompileOptions options = image_options();
    options.scheme = scheme;
    const CompiledModel model = compile_bytes(content, "größe.onnx", options);
    EXPECT_THAT(model.client.plan().json, StartsWith("{\n  \"model\": \"größe.onnx\",\n  \"scheme\": "));
    EXPECT_THAT(plan(model).json, StartsWith("{\n  \"model\": \"größe.onnx\",\n  \"scheme\": "));
    EXPECT_THAT(plan(model).text, HasSubstr("\n\n"));
    EXPECT_EQ(model.client.plan().threads, 1) << "files are priced on one core";
    EXPECT_EQ(model.client.plan().scheme, scheme);
  }
}

TEST(ModelOptions, AServerPreparesForOneClientAtLeast) {
  const CompiledModel model = compile(kImages, image_options());
  for (const int clients : {-1, 0})
    EXPECT_EQ(refusal([&] { PreparedModel(model.server, 0, clients); }),
              "a prepared model serves at least one client at a time");
}

// A recording has instructions and no operators of a model.
TEST(ModelOptions, ARecordedComputationIsValidatedByItsInstructions) {
  const tile::Computation squared = [](const tile::Session& session) {
    const tile::Tensor x = tile::encrypt(session, tile::Shape("{n any|64}"), {5}, {});
    return std::vector<tile::Tensor>{tile::multiply(x, x)};
  };
  const CompiledModel model = tile::record("slots 64, depth 3, fraction 40 bits, integer 5 bits, security 0", "squared",
                                           squared, InsecureParameters::allow);
  const std::vector<Tensors> inputs{{{1, 2, 3, 4, 5}}};
  EXPECT_EQ(refusal([&] { validate(model, inputs, {.operators = "nn"}); }),
            "validate: a recorded computation has no operators of a model; ask for 'vector' or 'instruction'");
  const Validation found = validate(model, inputs, {.operators = "vector"});
  EXPECT_FALSE(found.failed) << found.text;
  EXPECT_THAT(found.operators, ::testing::Not(::testing::IsEmpty()));
  EXPECT_THAT(found.json, StartsWith("{\n  \""));
}

}  // namespace
}  // namespace tacit
