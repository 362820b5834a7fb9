#include "session/owner/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.h"
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
    try {
      Dataset(files, network(inputs), {});
    } catch (const base::InputError& error) {
      return error.what();
    }
    return "accepted";
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

}  // namespace
}  // namespace tacit::session
