#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/options.h"

namespace tacit::app {
namespace {

using ::testing::ElementsAre;

/// A command on a network, whose place is among the options.
struct Line {
  explicit Line(const std::string& arguments) {
    app.add_option("model", options.model);
    options.add_to(app);
    app.parse(arguments);
  }
  CLI::App app;
  NetworkOptions options;
};

// Each of these takes one word: what follows is the network.
TEST(OptionOrder, ANetworkMayStandBehindAnyOption) {
  for (const char* option : {"--mean 1", "--std 2", "--calibrate c.npy", "--keep-private fc", "--shard fc=x:2",
                             "--input-range=0,1", "--passes no-fold", "--threads 2", "--batch 2", "--json"}) {
    const Line line(std::string(option) + " net.onnx");
    EXPECT_EQ(line.options.model, "net.onnx") << option;
  }
  EXPECT_THAT(Line("--mean 1 net.onnx").options.preprocessing.mean, ElementsAre(1));
  EXPECT_THAT(Line("--std 2 net.onnx").options.preprocessing.std, ElementsAre(2));
  EXPECT_THAT(Line("--calibrate c.npy net.onnx").options.samples.files, ElementsAre("c.npy"));
  EXPECT_THAT(Line("--keep-private fc net.onnx").options.choices.keep_private, ElementsAre("fc"));
  EXPECT_THAT(Line("--shard fc=x:2 net.onnx").options.choices.shard, ElementsAre("fc=x:2"));
}

TEST(OptionOrder, ARangeHasTwoEnds) {
  EXPECT_EQ(Line("--input-range 0,1").options.choices.input_range, std::pair(0.0, 1.0));
  for (const char* range : {"--input-range 0", "--input-range 0,1,2"})
    EXPECT_THROW(Line{range}, CLI::ParseError) << range;
}

TEST(OptionOrder, InputsAreNamedOneByOne) {
  InputOptions inputs;
  CLI::App app;
  std::string model;
  inputs.add_to(app);
  app.add_option("model", model);
  app.parse("--input a.npy --input b.npy net.onnx --first 3");
  EXPECT_THAT(inputs.files, ElementsAre("a.npy", "b.npy"));
  EXPECT_EQ(model, "net.onnx");
  EXPECT_EQ(inputs.first, 3);
  EXPECT_EQ(inputs.count, std::nullopt);
  EXPECT_THROW(app.parse("net.onnx"), CLI::ParseError) << "there must be one";
}

TEST(OptionOrder, NothingIsShownWrittenOrPermittedUnlessAsked) {
  PrivacyOptions privacy;
  InsecureOption insecure;
  ComputeOptions compute;
  ResultOptions result;
  CLI::App app;
  privacy.add_to(app);
  insecure.add_to(app);
  compute.add_to(app);
  result.add_to(app, "results", false);
  app.parse("");
  EXPECT_FALSE(privacy.verbose);
  EXPECT_FALSE(insecure.permitted);
  EXPECT_FALSE(compute.json);
  EXPECT_EQ(compute.threads, 0);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.format, session::ResultFormat::npy);
  app.parse("--verbose --insecure --json --output y --output-format csv");
  EXPECT_TRUE(privacy.verbose);
  EXPECT_TRUE(insecure.permitted);
  EXPECT_TRUE(compute.json);
  EXPECT_EQ(result.output, "y");
  EXPECT_EQ(result.format, session::ResultFormat::csv);
}

TEST(OptionOrder, CalibrationTakesTheChoicesThatAreNotAboutSamples) {
  CompileOptions choices;
  CLI::App app;
  add_measured_options_to(app, choices);
  app.parse("--max-degree 7 --client-before off --batch 3");
  EXPECT_EQ(choices.max_degree, 7);
  EXPECT_FALSE(choices.client_before);
  EXPECT_EQ(choices.batch, 3);
  EXPECT_THROW(app.parse("--calibrate c.npy"), CLI::ParseError);
}

}  // namespace
}  // namespace tacit::app
