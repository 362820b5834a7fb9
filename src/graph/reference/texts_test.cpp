#include <cmath>

#include "graph/reference/evaluate_for_test.h"

namespace tacit::graph::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Texts, MoveLikeNumbers) {
  Tensor words = texts({"a", "b", "c", "d"});
  words.shape = {2, 2};
  const auto moved = [&](const char* op, std::vector<Tensor> more = {}, Attributes attributes = {}) {
    more.insert(more.begin(), words);
    return read(only(op, more, std::move(attributes)));
  };
  EXPECT_THAT(moved("Identity"), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(moved("Reshape", {integers({4})}), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(moved("Flatten"), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(moved("Unsqueeze", {integers({0})}), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(moved("Squeeze"), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(moved("Transpose"), ElementsAre("a", "c", "b", "d"));
  EXPECT_THAT(moved("Slice", {integers({1}), integers({2})}), ElementsAre("c", "d"));
  EXPECT_THAT(moved("Gather", {integers({1})}, {{"axis", std::int64_t{1}}}), ElementsAre("b", "d"));
  EXPECT_THAT(moved("GatherElements", {integers({1, 2}, {1, 0})}), ElementsAre("c", "b"));
  EXPECT_THAT(moved("GatherND", {integers({1, 2}, {1, 0})}), ElementsAre("c"));
  EXPECT_THAT(moved("Compress", {integers({0, 1})}, {{"axis", std::int64_t{0}}}), ElementsAre("c", "d"));
  EXPECT_THAT(moved("ai.onnx.ml.ArrayFeatureExtractor", {integers({1})}), ElementsAre("b", "d"));
  EXPECT_THAT(moved("Expand", {integers({2, 2, 2})}), ElementsAre("a", "b", "c", "d", "a", "b", "c", "d"));
  EXPECT_THAT(moved("Tile", {integers({1, 2})}), ElementsAre("a", "b", "a", "b", "c", "d", "c", "d"));
  EXPECT_THAT(only("Shape", {words}).data, ElementsAre(2, 2));
  const auto parts = all_of("Split", {words}, {{"axis", std::int64_t{1}}}, 2);
  EXPECT_THAT(read(parts.at(1)), ElementsAre("b", "d"));
}

TEST(Texts, AreComparedByTheirLetters) {
  const Tensor left = texts({"a", "b", "c"}), right = texts({"a", "c", "b"});
  EXPECT_THAT(only("Equal", {left, right}).data, ElementsAre(1, 0, 0));
  EXPECT_THAT(only("Equal", {left, texts({"b"})}).data, ElementsAre(0, 1, 0));
  EXPECT_THAT(refusal("Equal", {left, integers({0, 1, 2})}), HasSubstr("some of its inputs hold texts"));
  const Tensor joined = only("Concat", {left, texts({"d", "a"})}, {{"axis", std::int64_t{0}}});
  EXPECT_THAT(read(joined), ElementsAre("a", "b", "c", "d", "a"));
  EXPECT_EQ(joined.texts.size(), 4u) << "each text once";
  EXPECT_THAT(refusal("Concat", {left, reals({1}, {0})}, {{"axis", std::int64_t{0}}}),
              HasSubstr("some of its inputs hold texts"));
  const Tensor chosen = only("Where", {integers({1, 0, 0}), left, right});
  EXPECT_THAT(read(chosen), ElementsAre("a", "c", "b"));
  Tensor broken = left;
  broken.data[0] = 3;
  EXPECT_THAT(refusal("Equal", {broken, left}), HasSubstr("is no position in a list of 3 texts"));
}

TEST(Texts, LongListsAreNotCopiedForFewElements) {
  Texts many;
  for (int i = 0; i < 300; ++i) many.push_back(std::to_string(i));
  const Tensor one = only("Gather", {texts(many), integers({299, 7, 299})});
  EXPECT_THAT(read(one), ElementsAre("299", "7", "299"));
  EXPECT_EQ(one.texts.size(), 2u);
  many.resize(256);
  EXPECT_THAT(only("Gather", {texts(many), integers({7})}).data, ElementsAre(7)) << "the position of a label";
}

Tensor cast(const Tensor& input, std::int64_t to) { return only("Cast", {input}, {{"to", to}}); }
std::string cast_refusal(const Tensor& input, std::int64_t to) { return refusal("Cast", {input}, {{"to", to}}); }

TEST(Cast, RealsAreRounded) {
  EXPECT_THAT(cast(reals({3}, {0.1, 1e300, -1e-60}), 1).data, ElementsAre(0.1F, HUGE_VAL, 0));
  EXPECT_THAT(cast(reals({1}, {0.1}), 11).data, ElementsAre(0.1));
  // float16: 11 digits; ties to even; 65520 is half way to the number after the largest; 2^-25 is half the least.
  EXPECT_THAT(cast(reals({8}, {0.1, 2049, 2051, 65519, 65520, 0x1p-24, 0x1p-25, 0x1.8p-25}), 10).data,
              ElementsAre(0.0999755859375, 2048, 2052, 65504, HUGE_VAL, 0x1p-24, 0, 0x1p-24));
  EXPECT_THAT(cast(reals({4}, {257, 259, -3.4e38, 3.4e38}), 16).data, ElementsAre(256, 260, -HUGE_VAL, HUGE_VAL));
  EXPECT_THAT(cast(reals({1}, {0x1.fep127}), 16).data, ElementsAre(0x1.fep127)) << "the largest bfloat16";
  EXPECT_TRUE(std::isnan(cast(reals({1}, {NAN}), 10).data[0]));
  EXPECT_FALSE(cast(integers({1}), 1).integral);
}

TEST(Cast, IntegersAreCutAndWrapped) {
  const Tensor x = reals({5}, {-1.7, 2.7, 300, -129, 65537});
  EXPECT_THAT(cast(x, 2).data, ElementsAre(255, 2, 44, 127, 1));
  EXPECT_THAT(cast(x, 3).data, ElementsAre(-1, 2, 44, 127, 1));
  EXPECT_THAT(cast(x, 4).data, ElementsAre(65535, 2, 300, 65407, 1));
  EXPECT_THAT(cast(x, 5).data, ElementsAre(-1, 2, 300, -129, 1));
  EXPECT_THAT(cast(integers({0x1p31, -0x1p31 - 1}), 6).data, ElementsAre(-0x1p31, 0x1p31 - 1));
  EXPECT_THAT(cast_refusal(reals({1}, {0x1p31}), 6), HasSubstr("differs between processors"));
  EXPECT_THAT(cast_refusal(reals({1}, {0x1p32}), 2), HasSubstr("differs between processors"));
  EXPECT_THAT(cast(reals({1}, {-1}), 12).data, ElementsAre(0x1p32 - 1));
  EXPECT_THAT(cast(x, 7).data, ElementsAre(-1, 2, 300, -129, 65537));
  EXPECT_THAT(cast(reals({2}, {0, NAN}), 9).data, ElementsAre(0, 1));
  EXPECT_TRUE(cast(x, 9).integral);
  EXPECT_THAT(cast_refusal(reals({1}, {0x1p60}), 7), HasSubstr("integers are exact up to 2^53"));
  EXPECT_THAT(cast_refusal(reals({1}, {-1}), 13), HasSubstr("type uint64"));
  EXPECT_THAT(cast_refusal(reals({1}, {NAN}), 2), HasSubstr("no exact value of type uint8"));
  EXPECT_THAT(cast_refusal(x, 14), HasSubstr("a cast to element type 14 is not supported"));
}

TEST(Cast, NumbersToTextsAndBack) {
  EXPECT_THAT(read(cast(integers({3, -12, 3}), 8)), ElementsAre("3", "-12", "3"));
  EXPECT_THAT(read(cast(reals({5}, {0.1, -2, 1e30, NAN, -HUGE_VAL}), 8)),
              ElementsAre("0.1", "-2", "1e+30", "NaN", "-INF"));
  const Tensor words = texts({"3", "-2.5e1", "+.5", "inf", "NaN"});
  const Tensor numbers = cast(words, 11);
  EXPECT_THAT(Reals(numbers.data.begin(), numbers.data.begin() + 4), ElementsAre(3, -25, 0.5, HUGE_VAL));
  EXPECT_TRUE(std::isnan(numbers.data[4]) && numbers.texts.empty());
  EXPECT_THAT(cast(texts({"7", "-8"}), 7).data, ElementsAre(7, -8));
  for (const char* word : {"", "x", "1x", "--1", "+-1", " 1", "0x10", "1e999", "."})
    EXPECT_THAT(cast_refusal(texts({word}), 1), HasSubstr("is no number")) << word;
  EXPECT_THAT(read(cast(words, 8)), ElementsAre("3", "-2.5e1", "+.5", "inf", "NaN"));
}

TEST(Cast, FloatsGetTheirOwnShortestDecimal) {
  Graph graph;
  graph.tensors = {{"x", {1}}};
  graph.tensors[0].rounding = FloatFormat::float32;
  const Tensor x = reals({1}, {0.1F});
  const Node node{"Cast", "n", {0}, {1}, {{"to", std::int64_t{8}}}};
  const Tensor* inputs[] = {&x};
  EXPECT_THAT(read(evaluate(graph, node, inputs).at(0)), ElementsAre("0.1"));
  EXPECT_THAT(read(cast(x, 8)), ElementsAre("0.10000000149011612"));
}

/// 2^62 stands for lost digits among integers, and for itself among reals.
TEST(Cast, LargeRealsAreNoLostIntegers) {
  EXPECT_THAT(cast(reals({2}, {0x1p62, -0x1p62}), 1).data, ElementsAre(0x1p62, -0x1p62));
  EXPECT_THAT(read(cast(reals({1}, {0x1p62}), 8)), ElementsAre(testing::StartsWith("46116860184273")));
  for (const std::int64_t to : {1, 8, 11}) {
    EXPECT_THAT(cast_refusal(integers({0x1p62}), to), HasSubstr("2^53")) << to;
    EXPECT_THAT(cast_refusal(integers({-0x1p62}), to), HasSubstr("2^53")) << to;
  }
  EXPECT_THAT(cast(integers({0x1p53, -0x1p53}), 11).data, ElementsAre(0x1p53, -0x1p53));
}

}  // namespace
}  // namespace tacit::graph::reference
