#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "layout/operators/movement.h"
#include "tensor/convolution.h"
#include "tensor/operators.h"
#include "tensor/session.h"
#include "tensor/small_session_for_test.h"

// What operators on tile tensors say where they refuse, and that they take what lies beside it.
namespace tacit::tensor {
namespace {

class Refusals : public ::testing::Test {
 protected:
  TileTensor make(const char* text, int level = kLevel) const {
    const TileShape shape = TileShape::parse(text);
    Dense dense{shape.sizes(), {}};
    dense.values.assign(static_cast<std::size_t>(layout::element_count(dense.sizes)), 1.0);
    return encrypt(session_, shape, dense, level);
  }
  /// The whole sentence.
  template <class Body>
  void says(const std::string& sentence, Body&& body) const {
    EXPECT_EQ(base::refusal(body), sentence);
  }

  SessionPtr session_ = clear_session(kSlots, kLevel);
  TileTensor a_ = make("{x 5|8}{y 3|8}");
};

TEST_F(Refusals, SlicesLieWithinTheirDimension) {
  const auto slices = [&](Index begin, Index count, const char* positions) {
    says(std::string("slice: positions ") + positions + " of dimension 0 'x' of {x 5|8}{y 3|8} do not exist",
         [&] { slice(a_, 0, begin, count); });
  };
  slices(3, 3, "3 to 5");
  slices(0, 6, "0 to 5");
  slices(-1, 2, "-1 to 0");
  slices(2, 0, "2 to 1");
  EXPECT_EQ(slice(a_, 0, 2, 3).shape().sizes(), (Shape{3, 3}));
  says("slice: {x 5|8}{y 3|8} has no dimension 2; they are 0 to 1", [&] { slice(a_, 2, 0, 1); });
  says("slice: {x 5|8}{y 3|8} has no dimension -1; they are 0 to 1", [&] { slice(a_, -1, 0, 1); });
}

TEST_F(Refusals, PlacesAreFoldedUpToSixtyFourAtATime) {
  const TileTensor column = make("{64|64}");
  EXPECT_EQ(sum(column, 0, {false, 6}).shape().sizes(), Shape{1});
  const PlainTensor plain(session_, column.shape(), {{64}, std::vector<double>(64, 2.0)});
  for (const int hoist : {0, 7}) {
    const std::string sentence =
        "hoist is " + std::to_string(hoist) + ", outside 1 to 6: places are folded 2^hoist at a time";
    says(sentence, [&] { sum(column, 0, {false, hoist}); });
    says(sentence, [&] { multiply_sum(column, column, 0, {false, hoist}); });
    says(sentence, [&] { multiply_sum(column, plain, 0, {false, hoist}); });
    says(sentence, [&] { replicate(make("{1|64}"), 0, {false, hoist}); });
  }
}

TEST_F(Refusals, SumsAndCopiesAreOfWhatIsKnown) {
  const TileTensor junk = slice(make("{x 5|8}{y 8|8}"), 1, 0, 3);
  ASSERT_EQ(junk.shape().to_string(), "{x 5|8}{y 3|8 junk}");
  says("sum: dimension 1 'y' of {x 5|8}{y 3|8 junk} has unknowns, which would reach the sum; clear them first",
       [&] { sum(junk, 1); });
  says("multiply_sum: dimension 1 'y' of {x 5|8}{y 3|8 junk} has unknowns, which would reach the sum; clear them first",
       [&] { multiply_sum(junk, junk, 1); });
  EXPECT_NO_THROW(sum(junk, 0));
  says(
      "replicate: dimension 0 'x' of {x 5|8}{y 3|8} has size 5, and only one value can be replicated; sum over it "
      "first",
      [&] { replicate(a_, 0); });
  const TileTensor one = slice(make("{8|8}{y 8|8}"), 0, 0, 1), beside = slice(make("{8|8}{y 1|8}"), 0, 0, 5);
  says("replicate: the unknowns of dimension 0 of {1|8 junk}{y 8|8} would spread; clear them first",
       [&] { replicate(one, 0); });
  says("replicate: the unknowns of dimension 0 of {5|8 junk}{y 1|8} would spread; clear them first",
       [&] { replicate(beside, 1); });
  EXPECT_NO_THROW(replicate(clear_unknowns(beside), 1));
}

TEST_F(Refusals, OperandsMeetInEqualTiles) {
  const std::string left = "{x 5|8}{y 3|8}";
  const auto meets = [&](const char* right, const std::string& why) {
    const TileTensor b = make(right);
    says("add: " + left + " and " + right + ": " + why, [&] { add(a_, b); });
    says("subtract: " + left + " and " + right + ": " + why, [&] { subtract(a_, b); });
    says("multiply: " + left + " and " + right + ": " + why, [&] { multiply(a_, b); });
    says("multiply_sum: " + left + " and " + right + ": " + why, [&] { multiply_sum(a_, b, 0); });
  };
  meets("{x 5|16}{y 3|4}", "dimension 0 'x': tile extents 8 and 16 differ; reshard one of them");
  meets("{x 4|8}{y 3|8}", "dimension 0 'x': sizes 5 and 4 differ and neither is 1");
  meets("{x 5|8}{y 2|8}", "dimension 1 'y': sizes 3 and 2 differ and neither is 1");
  meets("{x 1|8}{y 3|8}",
        "dimension 0 'x': its one value must be in all 8 places to meet 5 values; replicate it first");
  meets("{x copy 4|8}{y 3|8}",
        "dimension 0 'x': its one value must be in all 8 places to meet 5 values; replicate it first");
  says(
      "add: {x 1|8}{y 3|8} and {x 5|8}{y 3|8}: dimension 0 'x': its one value must be in all 8 places to meet 5 "
      "values; replicate it first",
      [&] { add(make("{x 1|8}{y 3|8}"), a_); });
  EXPECT_NO_THROW(add(a_, make("{x copy 8}{y 3|8}")));
  const TileTensor woven = make("{x 15|8 woven}{y 3|8}"), wider = make("{x 15|8 woven 3}{y 3|8}"),
                   blocks = make("{x 15|8}{y 3|8}");
  EXPECT_NO_THROW(add(woven, woven));
  says(
      "add: {x 15|8 woven}{y 3|8} and {x 15|8}{y 3|8}: dimension 0 'x': one is woven otherwise than the other; "
      "reshard one of them",
      [&] { add(woven, blocks); });
  says(
      "add: {x 15|8 woven}{y 3|8} and {x 15|8 woven 3}{y 3|8}: dimension 0 'x': one is woven otherwise than the "
      "other; reshard one of them",
      [&] { add(woven, wider); });
  says("add: {x 5|8}{y 3|8} has 2 dimensions and {1}{x 5|8}{y 3|8} has 3", [&] { add(a_, make("{1}{x 5|8}{y 3|8}")); });
}

TEST_F(Refusals, LevelsAreSpentWhereThereAreSome) {
  const TileTensor spent = make("{x 5|8}{y 3|8}", 0);
  const auto no_level = [](const char* operation) {
    return std::string(operation) +
           ": no level is left to spend on {x 5|8}{y 3|8}; encrypt at a higher level or ask for a greater depth";
  };
  const PlainTensor plain(session_, a_.shape(), {{5, 3}, std::vector<double>(15, 2.0)});
  const TileShape target = TileShape::parse("{x 5|16}{y 3|4}");
  const layout::LinearOperatorPtr same = std::make_shared<layout::Identity>(Shape{5, 3});
  says(no_level("multiply"), [&] { multiply(spent, spent); });
  says(no_level("multiply"), [&] { multiply(spent, a_); });
  says(no_level("multiply"), [&] { multiply(a_, spent); });
  says(no_level("multiply"), [&] { multiply(spent, plain); });
  says(no_level("multiply"), [&] { multiply(spent, 2.0); });
  says(no_level("multiply_sum"), [&] { multiply_sum(spent, spent, 0); });
  says(no_level("multiply_sum"), [&] { multiply_sum(spent, plain, 0); });
  says(no_level("linear"), [&] { linear(spent, same, target); });
  says(no_level("reshard"), [&] { reshard(spent, target); });
  says(no_level("sum_into"), [&] { sum_into(spent, 0, TileShape::parse("{x 1|16}{y 3|4}")); });
  says(no_level("slice"), [&] { slice(spent, 0, 1, 2); });
  says(no_level("rotate"), [&] { rotate(spent, 0, 1); });
  says(no_level("concat"), [&] { concat(spent, a_, 0); });
  EXPECT_EQ(add(spent, a_).level(), 0);
  EXPECT_EQ(multiply(make("{x 5|8}{y 3|8}", 1), a_).level(), 0);
  EXPECT_EQ(reshard(make("{x 5|8}{y 3|8}", 1), target).level(), 0);
  says("encrypt: level -1 is outside 0 to 3", [&] { make("{x 5|8}{y 3|8}", -1); });
  says("encrypt: level 4 is outside 0 to 3", [&] { make("{x 5|8}{y 3|8}", 4); });
}

TEST_F(Refusals, OperatorsAndTargetsFitTheTensor) {
  const auto identity = [](const Shape& in) { return std::make_shared<layout::Identity>(in); };
  says("linear: no operator was given", [&] { linear(a_, nullptr, a_.shape()); });
  says("linear: {x 5|4}{y 3|8} has tiles of 32 slots and {x 5|8}{y 3|8} of 64", [&] {
    linear(a_, identity({5, 3}), TileShape::parse("{x 5|4}{y 3|8}"));
  });
  says("linear: from {x 5|8}{y 3|8} to {x 5|8}{y 3|8}: the operator maps [14] to [14]",
       [&] { linear(a_, identity({14}), a_.shape()); });
  const auto wider = std::make_shared<layout::Gather>(Shape{15}, Shape{16}, std::vector<Index>(16, 0));
  says("linear: from {x 5|8}{y 3|8} to {x 5|8}{y 3|8}: the operator maps [15] to [16]",
       [&] { linear(a_, wider, a_.shape()); });
  EXPECT_NO_THROW(linear(a_, wider, TileShape::parse("{4|8}{4|8}")));
  says("reshard: {x 5|8}{y 3|8} and {x 7|8}{y 3|8} hold different numbers of elements",
       [&] { reshard(a_, TileShape::parse("{x 7|8}{y 3|8}")); });
  EXPECT_EQ(reshard(a_, a_.shape()).level(), kLevel);
  EXPECT_EQ(reshard(a_, TileShape::parse("{15|64}")).level(), kLevel - 1);
  says("sum_into: the sums over dimension 0 'x' of {x 5|8}{y 3|8} do not fit {x 5|8}{y 3|8}",
       [&] { sum_into(a_, 0, a_.shape()); });
  EXPECT_NO_THROW(sum_into(a_, 0, TileShape::parse("{3|64}")));
  says("concat: {x 5|8}{y 3|8} and {x 5|8}{y 2|8} differ in another dimension than 0",
       [&] { concat(a_, make("{x 5|8}{y 2|8}"), 0); });
  says("concat: {64|64} has no dimension 1; they are 0 to 0", [&] { concat(a_, make("{64|64}"), 1); });
  says("tile shape {x 5|8} has tiles of 8 slots and the ciphertexts have 64: the tile extents must multiply to that",
       [&] { make("{x 5|8}"); });
  says("a tensor [5,3] for tile shape {x 5|8}{y 3|8} has 2 values", [&] {
    encrypt(session_, a_.shape(), {{5, 3}, {1, 2}}, 1);
  });
  const SessionPtr other = clear_session(kSlots, kLevel);
  const TileTensor elsewhere = encrypt(other, a_.shape(), {{5, 3}, std::vector<double>(15, 1.0)}, 1);
  const PlainTensor plain(other, a_.shape(), {{5, 3}, std::vector<double>(15, 2.0)});
  const std::string sessions = ": the operands belong to different sessions; make both with one";
  says("add" + sessions, [&] { add(a_, elsewhere); });
  says("add" + sessions, [&] { add(a_, plain); });
  says("multiply" + sessions, [&] { multiply(a_, plain); });
  says("concat" + sessions, [&] { concat(a_, elsewhere, 0); });
}

TEST_F(Refusals, FiltersFitTheImage) {
  const auto filters = [](const Shape& sizes) {
    return Dense{sizes, std::vector<double>(static_cast<std::size_t>(layout::element_count(sizes)), 1.0)};
  };
  const auto convolved = [&](const std::string& sentence, const char* image, const Dense& with,
                             const ConvolutionOptions& options = {}) {
    says("convolve: " + sentence, [&] { convolve(make(image), with, options); });
  };
  const char* const image = "{c 2}{y 8|8 woven}{x 8|8}";
  const Dense good = filters({3, 2, 3, 3});
  EXPECT_EQ(convolve(make(image), good, {}).shape().sizes(), (Shape{3, 6, 6}));
  EXPECT_EQ(convolve(make(image), filters({1, 2, 8, 8}), {}).shape().sizes(), (Shape{1, 1, 1}));
  convolved("dimension 1 'y' of {c 2}{y 8|8 woven}{x 8|8}: 9 taps do not fit its size", image, filters({1, 2, 9, 3}));
  convolved("dimension 2 'x' of {c 2}{y 8|8 woven}{x 8|8}: 9 taps do not fit its size", image, filters({1, 2, 3, 9}));
  convolved("filters [2,1,3]; expected [filters, channels, rows, columns]", image, filters({2, 1, 3}));
  convolved("filters for 1 channels and an image {c 2}{y 8|8 woven}{x 8|8} of 2", image, filters({3, 1, 3, 3}));
  convolved("a filter dimension of size 0", image, filters({0, 2, 3, 3}));
  convolved("filters [3,2,3,3] with 53 values", image, {{3, 2, 3, 3}, std::vector<double>(53, 1.0)});
  convolved("a stride of 0", image, good, {.stride = 0, .fold = {}});
  for (const auto& [channels, rows, columns] : {std::tuple(0, 0, 2), {0, 1, 0}, {0, 1, 1}})
    convolved("channels, rows and columns must be three dimensions", image, good,
              {.channels = channels, .rows = rows, .columns = columns, .fold = {}});
  convolved("{c 2}{y 8|8 woven}{x 8|8} has no dimension 3; they are 0 to 2", image, good, {.columns = 3, .fold = {}});
  convolved("dimension 1 'y' of {c 2}{y 20|8}{x 8|8}: neighbours must lie in different tiles; encode it woven",
            "{c 2}{y 20|8}{x 8|8}", good);
  convolved(
      "dimension 1 'y' of {c 2}{y 20|8 woven}{x 8|8}: a stride of 2 does not divide its 3 tiles; encode it woven in a "
      "multiple of 2 tiles",
      "{c 2}{y 20|8 woven}{x 8|8}", good, {.stride = 2, .fold = {}});
  EXPECT_EQ(convolve(make("{c 2}{y 20|64 woven 4}{x 8}"), good, {.stride = 4, .fold = {}}).shape().sizes(),
            (Shape{3, 5, 2}));
}

TEST_F(Refusals, ImagesAreWovenWhereATileHasTwoPlaces) {
  const Dense filters{{1, 2, 3, 3}, std::vector<double>(18, 1.0)};
  const auto convolved = [&](const char* sentence, const char* image, Index stride) {
    says(fmt::format("convolve: dimension 1 'y' of {}: {}", image, sentence),
         [&] { convolve(make(image), filters, {.stride = stride, .fold = {}}); });
  };
  convolved("neighbours must lie in different tiles; encode it woven", "{c 2}{y 4|2}{x 8|32}", 1);
  convolved("a stride of 2 does not divide its 3 tiles; encode it woven in a multiple of 2 tiles",
            "{c 2}{y 6|2 woven}{x 8}{copy 32}", 2);
}

TEST_F(Refusals, TwoValuesAreEnoughToBeWoven) {
  const TileTensor woven = make("{x 2|8 woven}{y 3|8}"), blocks = make("{x 2|8}{y 3|8}");
  says(
      "add: {x 2|8 woven}{y 3|8} and {x 2|8}{y 3|8}: dimension 0 'x': one is woven otherwise than the other; reshard "
      "one of them",
      [&] { add(woven, blocks); });
  EXPECT_EQ(add(woven, woven).shape(), woven.shape());
  const TileTensor one = make("{x 1|8 woven}{y 3|8}");
  EXPECT_EQ(add(one, make("{x 1|8}{y 3|8}")).shape(), one.shape());
}

TEST_F(Refusals, OfTwoFactorsWithoutALevelTheSecondIsNamed) {
  const TileTensor left = make("{x 5|8}{y 3|8}", 0), right = make("{x copy 8}{y 3|8}", 0);
  says("multiply: no level is left to spend on {x copy 8}{y 3|8}; encrypt at a higher level or ask for a greater depth",
       [&] { multiply(left, right); });
}

}  // namespace
}  // namespace tacit::tensor
