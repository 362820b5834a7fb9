#include "session/owner/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DatasetTest : public ::testing::Test {
 protected:
  std::filesystem::path array(const std::string& name, const std::vector<std::int64_t>& shape, double start = 0) const {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) value = start++;
    write_npy(folder_.path() / name, shape, std::span<const double>(values));
    return folder_.path() / name;
  }
  static graph::Graph network(std::vector<graph::TensorInfo> inputs) {
    graph::Graph graph;
    graph.inputs.resize(inputs.size());
    std::iota(graph.inputs.begin(), graph.inputs.end(), 0);
    graph.tensors = std::move(inputs);
    return graph;
  }
  static std::string refusal(const std::vector<std::filesystem::path>& files,
                             const std::vector<graph::TensorInfo>& inputs) {
    return base::refusal([&] { Dataset(files, network(inputs), {}); });
  }
  base::TemporaryFolder folder_;
};

TEST_F(DatasetTest, SamplesTakeTheShapeOfTheModel) {
  const Dataset flat({array("a.npy", {3, 1, 2, 2})}, network({{"x", {1, 4}}}), {});
  EXPECT_EQ(flat.size(), 3);
  const auto sample = flat.sample(2);
  EXPECT_THAT(sample.at(0).shape, ElementsAre(1, 4));
  EXPECT_THAT(sample.at(0).data, ElementsAre(8, 9, 10, 11));
  EXPECT_FALSE(flat.public_range());
  // Extents of 1 may be left out.
  EXPECT_THAT(Dataset({array("b.npy", {3, 2, 2})}, network({{"x", {1, 1, 2, 2}}}), {}).sample(0).at(0).shape,
              ElementsAre(1, 1, 2, 2));
}

TEST_F(DatasetTest, PaddingCountsBeforeTheShapeIsCompared) {
  const Dataset padded({array("a.npy", {1, 1, 1, 2}, 5)}, network({{"x", {1, 1, 3, 4}}}),
                       {.scale = 1, .mean = {}, .std = {}, .pad = 1});
  EXPECT_THAT(padded.sample(0).at(0).data, ElementsAre(0, 0, 0, 0, 0, 5, 6, 0, 0, 0, 0, 0));
  EXPECT_THAT(padded.raw(0), ElementsAre(5, 6));
}

TEST_F(DatasetTest, BytesHaveAPublicRange) {
  write_npy(folder_.path() / "u.npy", {1, 2}, std::span<const std::uint8_t>(std::vector<std::uint8_t>{1, 2}));
  const Dataset bytes({folder_.path() / "u.npy"}, network({{"x", {1, 2}}}),
                      {.scale = 255, .mean = {0.5}, .std = {0.5}, .pad = 0});
  EXPECT_EQ(bytes.public_range(), std::pair(-1.0, 1.0));
}

TEST_F(DatasetTest, RefusesWhatDoesNotFitAndSaysHowToMendIt) {
  EXPECT_THAT(refusal({array("a.npy", {3, 5})}, {{"x", {1, 4}}}),
              HasSubstr("shape [5] and model input 'x' takes [1, 4]"));
  EXPECT_THAT(refusal({array("a.npy", {4})}, {{"x", {1, 4}}}), HasSubstr("leading dimension must be the batch"));
  EXPECT_THAT(refusal({array("a.npy", {2, 8, 8, 3})}, {{"x", {1, 3, 8, 8}}}), HasSubstr("channels come last"));
  EXPECT_THAT(refusal({array("a.npy", {2, 2, 3})}, {{"x", {1, 3, 2}}}), HasSubstr("[2, 3]"));
  EXPECT_THAT(refusal({array("a.npy", {0, 4})}, {{"x", {1, 4}}}),
              HasSubstr("a.npy holds no inputs (shape [0, 4]); give one row at least"));
  EXPECT_THAT(refusal({array("a.npy", {1, 4})}, {{"x", {1, 4}}, {"y", {1}}}), HasSubstr("2 inputs ('x', 'y')"));
  EXPECT_THAT(refusal({array("a.npy", {2, 4}), array("b.npy", {3, 4})}, {{"x", {1, 4}}, {"y", {1, 4}}}),
              HasSubstr("as many"));
}

TEST_F(DatasetTest, LabelsAreOneNumberForEachInput) {
  EXPECT_THAT(read_labels(array("a.npy", {3}), 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(read_labels(array("a.npy", {3, 1}), 3), ElementsAre(0, 1, 2));
  EXPECT_THROW(read_labels(array("a.npy", {3}), 4), base::InputError);
  EXPECT_THROW(read_labels(array("a.npy", {3, 2}), 3), base::InputError);
}

TEST_F(DatasetTest, SentencesCountInputsAndFiles) {
  const std::filesystem::path a = array("a.npy", {1, 4}), b = array("b.npy", {2, 4});
  EXPECT_EQ(refusal({}, {{"x", {1, 4}}}),
            "the model takes 1 input ('x') and 0 files were given; name one .npy file for each, in this order");
  EXPECT_EQ(refusal({a}, {{"x", {1, 4}}, {"y", {1}}}),
            "the model takes 2 inputs ('x', 'y') and 1 file was given; name one .npy file for each, in this order");
  EXPECT_EQ(refusal({a, b}, {{"x", {1, 4}}}),
            "the model takes 1 input ('x') and 2 files were given; name one .npy file for each, in this order");
  EXPECT_EQ(refusal({a, b}, {{"x", {1, 4}}, {"y", {1, 4}}}),
            b.string() + " holds 2 inputs and " + a.string() + " holds 1; they must be as many");
  EXPECT_EQ(refusal({a, a}, {{"x", {1, 4}}, {"y", {1, 4}}}), base::kNotRefused);
}

TEST_F(DatasetTest, ShapesFitUpToOnesAndFlatOnesByTheirNumber) {
  const auto of = [&](const std::vector<std::int64_t>& file, const graph::Shape& model) {
    return refusal({array("s.npy", file)}, {{"x", model}});
  };
  const std::string name = (folder_.path() / "s.npy").string();
  EXPECT_EQ(of({2, 6}, {1, 6}), base::kNotRefused);
  EXPECT_EQ(of({2, 2, 3}, {1, 6}), base::kNotRefused);
  EXPECT_EQ(of({2, 1, 6, 1}, {6}), base::kNotRefused);
  EXPECT_EQ(of({2}, {1, 1}), base::kNotRefused) << "a number each";
  EXPECT_EQ(of({2, 2, 3}, {1, 2, 1, 3}), base::kNotRefused);
  EXPECT_EQ(of({2, 7}, {1, 6}), name + " holds inputs of shape [7] and model input 'x' takes [1, 6]");
  EXPECT_EQ(of({2, 6}, {1, 2, 3}), name + " holds inputs of shape [6] and model input 'x' takes [1, 2, 3]");
  EXPECT_EQ(of({8, 5}, {4, 5}), name +
                                    " holds inputs of shape [5] and model input 'x' takes [4, 5]; the model fixes a "
                                    "batch of 4: give an array of shape [n, 4, 5], take its rows one at a time by "
                                    "--shape x=1,5, or export it with a symbolic batch axis");
  EXPECT_EQ(of({2, 3}, {1, 2, 3}), name +
                                       " holds inputs of shape [3] and model input 'x' takes [1, 2, 3]; the leading "
                                       "dimension must be the batch, so reshape a single input to [1, ...]");
  EXPECT_EQ(of({2, 4, 5, 3}, {1, 3, 4, 5}), name +
                                                " holds inputs of shape [4, 5, 3] and model input 'x' takes [1, 3, 4, "
                                                "5]; the channels come last: transpose the array so that they come "
                                                "first");
  EXPECT_EQ(of({2, 5, 3, 4}, {1, 3, 4, 5}),
            name + " holds inputs of shape [5, 3, 4] and model input 'x' takes [1, 3, 4, 5]");
  EXPECT_THAT(base::refusal([&] {
                Dataset({array("s.npy", {1, 2, 3})}, network({{"x", {1, 2, 3}}}),
                        {.scale = 1, .mean = {}, .std = {}, .pad = 1});
              }),
              HasSubstr("s.npy holds inputs of shape [4, 5] after padding and model input 'x' takes [1, 2, 3]"));
}

TEST_F(DatasetTest, ValuesMayBeMissingWhereTheNetworkExpectsIt) {
  const std::vector<double> values{1, std::nan("")};
  const std::filesystem::path file = folder_.path() / "m.npy";
  write_npy(file, {1, 2}, std::span<const double>(values));
  for (const char* op : {"ai.onnx.ml.Imputer", "IsNaN", "Relu"}) {
    graph::Graph graph = network({{"x", {1, 2}}});
    graph.nodes.push_back({.op = op, .name = "n", .inputs = {0}, .outputs = {}, .attributes = {}});
    const Dataset dataset({file}, graph, {});
    EXPECT_TRUE(std::isnan(dataset.raw(0).at(1))) << "shown as it is";
    EXPECT_THAT(dataset.raw_shape(), ElementsAre(2));
    if (std::string(op) == "Relu") {
      EXPECT_THAT(base::refusal([&] { dataset.sample(0); }), HasSubstr("holds NaN at [0, 1]"));
    } else {
      EXPECT_TRUE(std::isnan(dataset.sample(0).at(0).data.at(1))) << op;
    }
  }
}

/// The second input is read by nothing, and the third is an output itself.
TEST_F(DatasetTest, ValuesMayBeMissingInAnInputThatNothingReads) {
  const std::vector<double> values{1, std::nan("")};
  const std::filesystem::path holes = folder_.path() / "m.npy", whole = array("w.npy", {1, 2});
  write_npy(holes, {1, 2}, std::span<const double>(values));
  graph::Graph graph = network({{"x", {1, 2}}, {"unread", {1, 2}}, {"kept", {1, 2}}});
  graph.nodes.push_back({.op = "Relu", .name = "n", .inputs = {0}, .outputs = {}, .attributes = {}});
  graph.outputs = {2};
  EXPECT_TRUE(std::isnan(Dataset({whole, holes, whole}, graph, {}).sample(0).at(1).data.at(1)));
  EXPECT_THAT(base::refusal([&] { Dataset({holes, whole, whole}, graph, {}).sample(0); }), HasSubstr("holds NaN"));
  EXPECT_THAT(base::refusal([&] { Dataset({whole, whole, holes}, graph, {}).sample(0); }), HasSubstr("holds NaN"));
}

TEST_F(DatasetTest, SamplesAreOfTheTypesOfTheModel) {
  const std::filesystem::path texts = folder_.path() / "t.npy";
  write_npy(texts, {2, 2}, std::span<const std::string>(std::vector<std::string>{"a", "b", "c", "c"}));
  graph::TensorInfo whole{"i", {1, 2}}, text{"t", {1, 2}};
  whole.integral = true;
  text.text = true;
  const Dataset dataset({array("x.npy", {2, 1}), array("i.npy", {2, 2}), texts}, network({{"x", {1, 1}}, whole, text}),
                        {.scale = 2, .mean = {}, .std = {}, .pad = 0});
  const auto sample = dataset.sample(1);
  ASSERT_EQ(sample.size(), 3u);
  EXPECT_FALSE(sample[0].integral);
  EXPECT_THAT(sample[0].data, ElementsAre(0.5));
  EXPECT_TRUE(sample[1].integral);
  EXPECT_THAT(sample[1].data, ElementsAre(1, 1.5));
  EXPECT_THAT(sample[2].texts, ElementsAre("c")) << "texts are not preprocessed";
  EXPECT_THAT(sample[2].data, ElementsAre(0, 0));
}

TEST_F(DatasetTest, ThePublicRangeIsThatOfBytesInEveryFile) {
  const std::filesystem::path bytes = folder_.path() / "u.npy";
  write_npy(bytes, {1, 2}, std::span<const std::uint8_t>(std::vector<std::uint8_t>{1, 2}));
  const std::vector<graph::TensorInfo> inputs{{"x", {1, 2}}, {"y", {1, 2}}};
  EXPECT_EQ(Dataset({bytes, bytes}, network(inputs), {}).public_range(), std::pair(0.0, 255.0));
  EXPECT_FALSE(Dataset({bytes, array("a.npy", {1, 2})}, network(inputs), {}).public_range());
  EXPECT_FALSE(Dataset({array("a.npy", {1, 2}), bytes}, network(inputs), {}).public_range());
}

TEST_F(DatasetTest, LabelsThatDoNotFitAreCounted) {
  const auto why = [&](const std::vector<std::int64_t>& shape, std::int64_t expected) {
    return base::refusal([&] { read_labels(array("l.npy", shape), expected); });
  };
  const std::string name = (folder_.path() / "l.npy").string();
  EXPECT_EQ(why({3, 2}, 6), name + " has shape [3, 2]; labels are one number for each input");
  EXPECT_EQ(why({3}, 2), name + " holds 3 labels for 2 inputs");
  EXPECT_EQ(why({3, 1, 1}, 4), name + " holds 3 labels for 4 inputs");
  EXPECT_EQ(why({1}, 1), base::kNotRefused);
}

TEST_F(DatasetTest, OfAModelWithoutInputsHasNoSamples) { EXPECT_EQ(Dataset({}, network({}), {}).size(), 0); }

}  // namespace
}  // namespace tacit::session
