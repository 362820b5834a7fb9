#include "program/slots/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "layout/equal_parts.h"
#include "layout/operators/matrix.h"
#include "layout/operators/repeated.h"
#include "layout/sparse_rows.h"
#include "program/slots/small_parameters_for_test.h"

namespace tacit::slots {
namespace {

using layout::Layout;
using layout::Placement;

constexpr layout::Index kPlannedSlots = 512;
/// A row of 1024 words. A ciphertext of level l has 2 (l + 1) of them, an extended polynomial l + 2.
constexpr double kRow = 8.0 * 1024;

const params::Account& account() {
  static const params::Account made(small_literal());
  return made;
}

/// Programs whose levels are said.
class LevelWriter {
 public:
  ValueId add(Operation operation, layout::Index ciphertexts, int level) {
    program.instructions.push_back({std::move(operation),
                                    Layout::row_major({ciphertexts * kPlannedSlots}, kPlannedSlots), "node",
                                    "made.onnx: node", 1, level, 0});
    return static_cast<ValueId>(program.instructions.size() - 1);
  }
  /// In rows. Blocks that were given back are kept, so that everything counts twice (base/aligned.h).
  double rows(int threads = 1, layout::Index ranks = 1) const {
    return value_bytes(program, account(), threads, Placement(ranks)) / 2 / kRow;
  }
  Program program{.name = "made", .slots = kPlannedSlots, .instructions = {}};
};

// Four ciphertexts of 2 * 3 rows each; a rotation of one at a time takes four extended polynomials of four rows.
TEST(MemoryPlan, AValueLivesUntilItsLastReader) {
  LevelWriter chain;
  chain.add(Input{"x"}, 4, 2);
  chain.add(Rotate{0, 1}, 4, 2);
  chain.add(Rotate{1, 1}, 4, 2);
  chain.add(Output{2, "y"}, 4, 2);
  EXPECT_EQ(chain.rows(), 2 * 24 + 16);
  // So many ciphertexts at once as there are threads, and no more than there are.
  EXPECT_EQ(chain.rows(3), 2 * 24 + 3 * 16);
  EXPECT_EQ(chain.rows(9), 2 * 24 + 4 * 16);
  // Of two ranks each holds two ciphertexts of every value.
  EXPECT_EQ(chain.rows(1, 2), 2 * 12 + 16);

  LevelWriter later;
  later.add(Input{"x"}, 4, 2);
  later.add(Rotate{0, 1}, 4, 2);
  later.add(Add{0, 1}, 4, 2);
  later.add(Output{2, "y"}, 4, 2);
  EXPECT_EQ(later.rows(), 3 * 24 + 16);
}

TEST(MemoryPlan, ArrivingAndLeavingTakesNoScratch) {
  LevelWriter direct;
  direct.add(Input{"x"}, 3, 1);
  direct.add(Output{0, "y"}, 3, 1);
  EXPECT_EQ(direct.rows(), 2 * 3 * 4);
  direct.program.instructions.pop_back();
  EXPECT_EQ(direct.rows(), 3 * 4);
}

TEST(MemoryPlan, AGatherSharesCiphertextsOfItsLevelAndKeepsThemAlive) {
  const auto gathered = [](int level) {
    LevelWriter made;
    made.add(Input{"x"}, 4, 2);
    made.add(Gather{{{0, {4}, {1}, 0}}}, 4, level);
    made.add(Rotate{1, 1}, 4, level);
    return made.rows();
  };
  // The input's ciphertexts live, through the gather, until they are rotated.
  EXPECT_EQ(gathered(2), 2 * 24 + 16);
  // Dropped to level 1 they are others, of four rows, beside which the input's are forgotten; a rotation takes four
  // polynomials of three rows.
  EXPECT_EQ(gathered(1), 2 * 16 + 12);
}

TEST(MemoryPlan, PolynomialsTakeTheirBasisForEveryCiphertextAtOnce) {
  const std::vector<double> series{0, 1, 0, 1};
  const auto schedule = params::PolynomialSchedule::choose(3);
  LevelWriter made;
  made.add(Input{"x"}, 4, 3);
  made.add(Polynomial{0, series, schedule}, 4, 1);
  const double one = account().polynomial_scratch_bytes(params::plan_polynomial(series, schedule), 3) / kRow;
  EXPECT_GT(one, 0);
  EXPECT_EQ(made.rows(), 4 * 8 + 4 * 4 + one);
  EXPECT_EQ(made.rows(2), 4 * 8 + 4 * 4 + 2 * one);
}

// Output j reads inputs j and j + 1.
TEST(MemoryPlan, LinearMapsTakeTheirLargestTermAndWhatOtherRanksSend) {
  const layout::Index size = 4 * kPlannedSlots;
  const Layout four = Layout::row_major({size}, kPlannedSlots);
  std::vector<layout::Index> begin{0}, column;
  for (layout::Index r = 0; r < size; ++r) {
    for (const layout::Index c : {r, r + kPlannedSlots})
      if (c < size) column.push_back(c);
    begin.push_back(static_cast<layout::Index>(column.size()));
  }
  const std::vector<double> weight(column.size(), 1.0);
  const auto map = std::make_shared<layout::SparseRows>(four.shape(), four.shape(), begin, column, weight);
  const params::LinearSchedule plain{{{0, 0, 0}}, {}}, turned{{{0, 0, 0}, {5, 1, 4}}, {}};
  LevelWriter made;
  made.add(Input{"x"}, 4, 2);
  made.add(Linear{{{0, {four, four, map}, plain}, {0, {four, four, map}, turned}, {0, {four, four, map}, plain}}, {}},
           4, 1);
  params::LinearCounts counts = params::count(turned.steps);
  const layout::Index groups = layout::equal_parts({four, four, map}).count;
  counts.inputs = counts.outputs = 4 / groups;
  const double scratch = account().linear_scratch_bytes(2, counts) / kRow;
  EXPECT_EQ(made.rows(), 4 * 6 + 4 * 4 + scratch);
  EXPECT_EQ(made.rows(8), made.rows()) << "all threads work on one map";
  // A rank of two holds two of the inputs and is sent the other two, at most.
  EXPECT_EQ(made.rows(1, 2), 2 * 6 + 2 * 4 + 2 * 6 + scratch);
  EXPECT_EQ(made.rows(1, 4), 6 + 4 + 3 * 6 + scratch);
}

TEST(MemoryPlan, BootstrapsOfOneFormToOneLevelShareTheirTransforms) {
  const params::CkksLiteral s8 = params::named_literal("S8");
  const params::Account whole(s8);
  const auto to = [&](int level) { return params::plan_bootstrap(s8, {.output_level = level}); };
  const params::BootstrapSchedule low = to(5), high = to(11),
                                  linear = params::plan_bootstrap(s8, {.form = params::BootstrapForm::linear});
  const auto with = [&](const std::vector<params::BootstrapSchedule>& schedules) {
    Program made{.name = "made", .slots = 32768, .instructions = {}};
    const auto add = [&](Operation operation) {
      made.instructions.push_back(
          {std::move(operation), Layout::row_major({32768}, 32768), "node", "made.onnx: node", 1, 3, 0});
    };
    add(Input{"x"});
    for (const auto& schedule : schedules) add(Bootstrap{{0}, schedule});
    return made;
  };
  EXPECT_EQ(transform_bytes(with({}), whole), 0);
  EXPECT_EQ(transform_bytes(with({low}), whole), whole.transform_bytes(low));
  EXPECT_EQ(transform_bytes(with({low, low, low}), whole), whole.transform_bytes(low));
  EXPECT_EQ(transform_bytes(with({low, high, low}), whole), whole.transform_bytes(low) + whole.transform_bytes(high));
  EXPECT_EQ(transform_bytes(with({high, linear}), whole), whole.transform_bytes(high) + whole.transform_bytes(linear));
  const params::Work twice = encode_transforms(with({low, high, high}), whole);
  EXPECT_EQ(twice.touched, (whole.encode_transforms(low) + whole.encode_transforms(high)).touched);
  EXPECT_EQ(encode_transforms(with({}), whole).touched, 0);
}

TEST(MemoryPlan, IsTheSumOfItsPartsWithAllWeightsOrThoseOfOneInstruction) {
  MemoryPlan plan;
  plan.keys = 1;
  plan.values = 20;
  plan.transforms = 300;
  plan.weights = 4000;
  plan.largest_weights = 1500;
  EXPECT_EQ(plan.peak(), 4321);
  EXPECT_EQ(plan.least(), 1821);
}

// A map that is repeated for four samples, one in a ciphertext, takes the room of one.
TEST(MemoryPlan, GroupsOfCiphertextsFollowEachOther) {
  const auto one = std::make_shared<layout::Contraction>(
      layout::Contraction::dense({1, kPlannedSlots}, kPlannedSlots,
                                 std::vector<double>(static_cast<std::size_t>(kPlannedSlots * kPlannedSlots), 1.0)));
  const Layout four = Layout::row_major({4, kPlannedSlots}, kPlannedSlots);
  const layout::LinearMap map{four, four, std::make_shared<layout::Repeated>(one, 4)};
  ASSERT_EQ(layout::equal_parts(map).count, 4);
  const params::LinearSchedule turned{{{0, 0, 0}, {5, 1, 4}}, {}};
  LevelWriter made;
  made.add(Input{"x"}, 4, 2);
  made.add(Linear{{{0, map, turned}}, {}}, 4, 1);
  params::LinearCounts counts = params::count(turned.steps);
  counts.inputs = counts.outputs = 1;
  EXPECT_EQ(made.rows(), 4 * 6 + 4 * 4 + account().linear_scratch_bytes(2, counts) / kRow);
  counts.inputs = counts.outputs = 2;
  EXPECT_LT(made.rows(), 4 * 6 + 4 * 4 + account().linear_scratch_bytes(2, counts) / kRow);
}

TEST(MemoryPlan, AValueThatNothingReadsStays) {
  LevelWriter made;
  made.add(Input{"x"}, 4, 2);
  made.add(Rotate{0, 1}, 4, 2);
  made.add(Input{"y"}, 8, 2);
  // %0 is gone behind its rotation, which nothing reads.
  EXPECT_EQ(made.rows(), std::max(2 * 24 + 16, 24 + 48));
  made.add(Validate{1, Detail::vector, 1, 0, {0}}, 4, 2);
  EXPECT_EQ(made.rows(), 3 * 24 + 24) << "a validation looks at what it reads, and makes nothing";
}

TEST(MemoryPlan, NothingTakesNoMemory) {
  EXPECT_EQ(LevelWriter{}.rows(), 0);
  EXPECT_EQ(MemoryPlan{}.peak(), 0);
  EXPECT_EQ(MemoryPlan{}.least(), 0);
}

TEST(MemoryPlan, AProgramIsOneRanksUnlessItSays) {
  LevelWriter made;
  made.add(Input{"x"}, 4, 2);
  made.add(Rotate{0, 1}, 4, 2);
  EXPECT_EQ(value_bytes(made.program, account(), 1), value_bytes(made.program, account(), 1, Placement(1)));
  EXPECT_LT(value_bytes(made.program, account(), 1, Placement(2)), value_bytes(made.program, account(), 1));
}

}  // namespace
}  // namespace tacit::slots
