#include "graph/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace tacit::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A client's part that hands one decrypted tensor of this shape on.
ClientParts scores_of(Shape shape) {
  ClientParts parts;
  parts.after.tensors.push_back({.name = "scores", .shape = std::move(shape)});
  parts.after.inputs = parts.after.outputs = {0};
  return parts;
}

/// The same with a node behind it, whose output is of whole numbers.
ClientParts with_node(ClientParts parts, const std::string& op, std::vector<TensorId> inputs, Shape shape) {
  Graph& after = parts.after;
  const auto made = static_cast<TensorId>(after.tensors.size());
  after.tensors.push_back({.name = "label", .shape = std::move(shape), .integral = true});
  after.nodes.push_back({op, "n", std::move(inputs), {made}, {}});
  after.outputs.push_back(made);
  return parts;
}

using Numbers = std::vector<std::vector<double>>;

std::vector<double> labels(const ClientParts& parts, const Numbers& numbers, double noise) {
  return stable_labels(ClientRun(label_parts(parts)), numbers, std::vector<double>(numbers.size(), noise)).at(0).data;
}

TEST(Labels, AreThePlacesOfTheLargestWhereTheModelHasNone) {
  const ClientParts parts = label_parts(scores_of({1, 4}));
  ASSERT_EQ(parts.after.outputs.size(), 1u);
  EXPECT_EQ(parts.after.tensors[parts.after.outputs[0]].name, "scores_label");
  EXPECT_THAT(labels(scores_of({1, 4}), {{0.1, 3, -2, 2.9}}, 1e-3), ElementsAre(1));
  EXPECT_THAT(labels(scores_of({2, 3}), {{0, 1, 2, 7, 5, 6}}, 1e-3), ElementsAre(2, 0));
}

TEST(Labels, AreTheModelsOwnWhereItHasSome) {
  // A label by the sign of one number: no row to compare.
  ClientParts parts = scores_of({1, 1});
  parts.after.constants.push_back({{}, {0.0}});
  parts.after.tensors.push_back({.name = "zero", .shape = {}, .constant = 0});
  parts = with_node(std::move(parts), "Greater", {0, 1}, {1, 1});
  EXPECT_EQ(label_parts(parts).after.outputs.size(), 1u);  // the number itself is not shown
  EXPECT_THAT(labels(parts, {{0.5}}, 0.01), ElementsAre(1));
  EXPECT_THAT(labels(parts, {{-0.5}}, 0.01), ElementsAre(0));
  EXPECT_THAT([&] { labels(parts, {{0.5}}, 0.04); }, ThrowsMessage<base::InputError>(HasSubstr("'label'")));
}

TEST(Labels, AreRefusedExactlyWhereTheMarginIsBelowThirtyTwoNoises) {
  // The largest moves down by 16 noises and another one up by as much.
  const double noise = 0x1p-10, margin = 2 * kNoisesOfALabel * noise;
  for (const std::size_t other : {0u, 3u, 9u}) {
    std::vector<double> scores(10, -5);
    scores[4] = 2;
    scores[other] = 2 - margin * (1 + 1e-9);
    EXPECT_THAT(labels(scores_of({1, 10}), {scores}, noise), ElementsAre(4));
    scores[other] = 2 - margin * (1 - 1e-9);
    EXPECT_THAT(
        [&] {
          labels(scores_of({1, 10}), {scores}, noise);
        },
        ThrowsMessage<base::InputError>(HasSubstr("too close to another")));
  }
}

TEST(Labels, MayBeTexts) {
  ClientParts parts = scores_of({2, 2});
  Graph& after = parts.after;
  after.tensors.push_back({.name = "labels", .shape = {2}, .integral = true, .text = true});
  after.tensors.push_back({.name = "votes", .shape = {2, 2}});
  after.nodes.push_back(
      {"tacit.LinearVotes", "n", {0}, {1, 2}, {{"classlabels_strings", std::vector<std::string>{"cat", "dog"}}}});
  after.outputs = {1, 2};
  const ClientRun run(label_parts(parts));
  EXPECT_THAT(run.parts().after.outputs, ElementsAre(1u)) << "the votes are not shown";
  const auto stable = [&](const std::vector<double>& scores) {
    const Tensor found = stable_labels(run, Numbers{scores}, std::vector<double>{0x1p-10}).at(0);
    std::vector<std::string> texts;
    for (const double place : found.data) texts.push_back(found.texts.at(static_cast<std::size_t>(place)));
    return texts;
  };
  EXPECT_THAT(stable({1, 2, 4, 3}), ElementsAre("dog", "cat"));
  EXPECT_THAT([&] { stable({1, 2, 3 + 0x1p-7, 3}); }, ThrowsMessage<base::InputError>(HasSubstr("'labels'")));
}

TEST(Labels, AreThereWhereTheyAreFound) {
  EXPECT_TRUE(has_labels(scores_of({1, 2})));
  EXPECT_TRUE(has_labels(with_node(scores_of({1, 1}), "Greater", {0}, {1})));
  EXPECT_FALSE(has_labels(scores_of({1, 1})));
  EXPECT_FALSE(has_labels(scores_of({})));
  ClientParts kept = scores_of({1, 4});
  kept.before = kept.after;
  kept.kept = 1;
  EXPECT_FALSE(has_labels(kept)) << "the client knows what it kept";
}

TEST(Labels, OfAModelWithoutAnyAreRefused) {
  EXPECT_THAT([] { label_parts(scores_of({1, 1})); }, ThrowsMessage<base::InputError>(HasSubstr("--share")));
  EXPECT_THROW(label_parts(scores_of({})), base::InputError);
}

}  // namespace
}  // namespace tacit::graph
