#include "layout/few_samples.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "layout/apply_diagonals_for_test.h"
#include "layout/diagonals_by_output.h"
#include "layout/operators/repeated.h"
#include "layout/random_layout_for_test.h"
#include "layout/sparse_rows.h"

// The maps of batches, read through few of their samples, against the maps whose entries are listed.
namespace tacit::layout {
namespace {

constexpr Index kIn = 6, kOut = 5;

/// Counts how often one of its rows is read.
class CountedRows final : public LinearOperator {
 public:
  CountedRows(Index in, Index out, std::mt19937& random)
      : LinearOperator({1, in}, {1, out}), rows_({1, in}, {1, out}, [&](Index, RowEntries& entries) {
          for (Index column = 0; column < in; ++column)
            if (random() % 2 == 0) entries.add(column, static_cast<double>(random() % 9) - 4.5);
        }) {}
  void append_row(Index row, RowEntries& entries) const override {
    ++read_;
    rows_.append_row(row, entries);
  }
  Index read() const { return read_; }

 private:
  SparseRows rows_;
  mutable Index read_ = 0;
};

LinearMap batch_map(const std::string& in, const std::string& out, std::mt19937& random) {
  const Layout from = Layout::parse(in);
  return {from, Layout::parse(out),
          std::make_shared<Repeated>(std::make_shared<CountedRows>(kIn, kOut, random), from.shape().front())};
}

void expect_as_by_list(const LinearMap& map, std::mt19937& random) {
  SCOPED_TRACE(map.in.to_string() + " -> " + map.out.to_string());
  const LinearMap list{map.in, map.out, std::make_shared<SparseRows>(SparseRows::of(*map.op))};
  ASSERT_TRUE(FewSamples::of(map).has_value());
  ASSERT_FALSE(FewSamples::of(list).has_value());
  const Diagonals made = diagonals(map), expected = diagonals(list);
  EXPECT_EQ(made.set.diagonals, expected.set.diagonals);
  EXPECT_EQ(made.set.folds, expected.set.folds);
  EXPECT_EQ(made.set.blocks, expected.set.blocks);
  EXPECT_EQ(made.set.count.products, expected.set.count.products);
  EXPECT_LE(made.set.count.density, expected.set.count.density);
  const DiagonalSet set = diagonal_set(map);
  EXPECT_EQ(set.diagonals, made.set.diagonals);
  EXPECT_EQ(set.blocks, made.set.blocks);
  EXPECT_EQ(set.count.products, made.set.count.products);
  EXPECT_DOUBLE_EQ(set.count.density, made.set.count.density);
  EXPECT_EQ(inputs_of_outputs(map), inputs_of_outputs(list));
  DiagonalsByOutput by_output(map, set.diagonals.size(), made.blocks.size());
  for (std::size_t output = 0; output < made.blocks.size(); ++output) {
    EXPECT_EQ(diagonals(map, static_cast<Index>(output)).blocks[output], made.blocks[output]) << output;
    EXPECT_EQ(by_output.blocks_of(static_cast<Index>(output)), made.blocks[output]) << output;
  }
  std::vector<double> x(static_cast<std::size_t>(element_count(map.in.shape())));
  for (double& one : x) one = static_cast<double>(random() % 100);
  const auto packed = packed_with_unknowns(map.in, x);
  const auto got = apply_diagonals(map, packed), wanted = apply_diagonals(list, packed);
  const auto known = known_slots(map.out);
  for (std::size_t c = 0; c < got.size(); ++c)
    for (std::size_t s = 0; s < got[c].size(); ++s)
      if (known[c][s]) {
        ASSERT_EQ(got[c][s], wanted[c][s]) << c << " " << s;
      }
}

/// Compares the maps between layouts of as many samples, in all and in a ciphertext. Returns the number of maps.
int expect_all_as_by_list(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                          std::mt19937& random) {
  const auto samples = [](const Layout& layout) {
    const std::vector<Digit>& within = layout.within();
    return std::pair(layout.shape().front(), within.front().dim == 0 ? within.front().extent : within.back().extent);
  };
  int compared = 0;
  for (const std::string& in : inputs)
    for (const std::string& out : outputs) {
      if (samples(Layout::parse(in)) != samples(Layout::parse(out))) continue;
      expect_as_by_list(batch_map(in, out, random), random);
      ++compared;
    }
  return compared;
}

TEST(FewSamples, InnermostGiveTheDiagonalsOfTheList) {
  std::mt19937 random(1);
  const int compared = expect_all_as_by_list(
      {"[8,6] across() within(d1:8/1 d0:8/1) junk()", "[8,6] across(d1:3/2) within(copy:4 d1:2/1 d0:8/1) junk()",
       "[8,6] across() within(d1:8/1 d0:8/1) junk(1)", "[7,6] across() within(d1:8/1 d0:8/1) junk()",
       "[7,6] across(d1:2/4 d0:2/4) within(d1:4/1 copy:4 d0:4/1) junk()"},
      {"[8,5] across() within(d1:8/1 d0:8/1) junk()", "[8,5] across(d1:5/1) within(copy:8 d0:8/1) junk()",
       "[8,5] across(d1:2/4) within(d1:4/1 copy:2 d0:8/1) junk(1)", "[7,5] across() within(d1:8/1 d0:8/1) junk()",
       "[7,5] across(d0:2/4 d1:3/2) within(copy:8 d1:2/1 d0:4/1) junk()"},
      random);
  EXPECT_EQ(compared, 3 * 3 + 1 + 1);
}

TEST(FewSamples, OutermostGiveTheDiagonalsOfTheList) {
  std::mt19937 random(2);
  const int compared = expect_all_as_by_list(
      {"[8,6] across() within(d0:8/1 d1:8/1) junk()", "[8,6] across(d1:2/8) within(d0:8/1 d1:8/1) junk()",
       "[8,6] across() within(d0:8/1 d1:2/4 d1:4/1) junk(1)", "[7,6] across() within(d0:8/1 d1:8/1) junk()",
       "[30,6] across(d1:2/4 d0:2/16) within(d0:16/1 d1:4/1) junk()"},
      {"[8,5] across() within(d0:8/1 d1:8/1) junk()", "[8,5] across() within(d0:8/1 d1:8/1) junk(0,1)",
       "[7,5] across() within(d0:8/1 d1:8/1) junk()", "[30,5] across(d0:2/16 d1:2/4) within(d0:16/1 d1:4/1) junk()"},
      random);
  EXPECT_EQ(compared, 3 * 2 + 1 + 1);
}

// The input has an unknown number in the place of an eighth sample.
TEST(FewSamples, AreNoneIfFreePlacesMustBecomeZero) {
  std::mt19937 random(3);
  for (const char* within : {"within(d1:8/1 d0:8/1)", "within(d0:8/1 d1:8/1)"}) {
    const auto few = [&](const std::string& in_fill, const std::string& out_fill) {
      const std::string in = std::string("[7,6] across() ") + within + in_fill;
      const std::string out = std::string("[7,5] across() ") + within + out_fill;
      return FewSamples::of(batch_map(in, out, random)).has_value();
    };
    EXPECT_TRUE(few(" junk()", " junk()"));
    EXPECT_TRUE(few(" junk(0)", " junk(0)"));
    EXPECT_FALSE(few(" junk(0)", " junk()"));
  }
}

TEST(FewSamples, AreNoneForCopiesOfASampleOrOtherDistances) {
  std::mt19937 random(4);
  const std::string out = "[8,5] across() within(d0:8/1 d1:8/1) junk()";
  const auto few = [&](const std::string& in) { return FewSamples::of(batch_map(in, out, random)).has_value(); };
  EXPECT_TRUE(few("[8,6] across() within(d0:8/1 d1:8/1) junk()"));
  EXPECT_FALSE(few("[8,6] across(d1:2/4) within(d0:8/1 copy:2 d1:4/1) junk()"));
  EXPECT_FALSE(few("[8,6] across(d1:2/4) within(copy:2 d0:8/1 d1:4/1) junk()"));
  EXPECT_FALSE(few("[8,6] across() within(d1:8/1 d0:8/1) junk()"));
  EXPECT_FALSE(few("[8,6] across() within(d0:2/4 d1:8/1 d0:4/1) junk()"));
}

// Two samples show both signs of a diagonal. One shows all diagonals if samples are innermost.
TEST(FewSamples, ReadTheRowsOfOneSample) {
  constexpr Index kSamples = 1024;
  for (const bool innermost : {true, false}) {
    std::mt19937 random(5);
    const auto rows = std::make_shared<CountedRows>(kIn, kOut, random);
    const auto layout = [&](Index elements) {
      const Digit samples{0, kSamples, 1, ""}, element{1, 8, 1, ""};
      return Layout({kSamples, elements}, {}, innermost ? std::vector{element, samples} : std::vector{samples, element},
                    {});
    };
    const LinearMap map{layout(kIn), layout(kOut), std::make_shared<Repeated>(rows, kSamples)};
    const Diagonals made = diagonals(map);
    EXPECT_LE(rows->read(), 2 * kOut);
    const std::size_t weights = made.blocks[0][0].begin()->second.size();
    EXPECT_EQ(weights, innermost ? 8U * kSamples : 8U);
    diagonal_set(map);
    inputs_of_outputs(map);
    EXPECT_LE(rows->read(), 10 * kOut);
  }
}

}  // namespace
}  // namespace tacit::layout
