#include "layout/diagonals_by_output.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "layout/operators/combined.h"
#include "layout/operators/movement.h"
#include "layout/operators/repeated.h"
#include "layout/operators/window.h"
#include "layout/random_layout_for_test.h"
#include "layout/repeating_weights.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {
namespace {

LinearOperatorPtr some_entries(const Shape& in, const Shape& out, std::mt19937& random) {
  const Index columns = element_count(in);
  return std::make_shared<SparseRows>(in, out, [&](Index, RowEntries& entries) {
    for (Index column = 0; column < columns; ++column)
      if (random() % 20 == 0) entries.add(column, static_cast<double>(random() % 9) - 3.5);
  });
}

LinearOperatorPtr three_by_three(const Shape& in, const Shape& out, Index stride, std::mt19937& random) {
  std::vector<double> weights(static_cast<std::size_t>(out[1] * in[1] * 9));
  for (double& weight : weights) weight = static_cast<double>(random() % 9) - 3.5;
  const WindowAxis axis{3, stride, 1, 1, 1};
  return std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{axis, axis}, 1, std::move(weights));
}

/// Whichever way they are made, and whichever outputs are asked for, diagonals are those of the whole map.
void expect_by_output(const LinearMap& map) {
  SCOPED_TRACE(map.in.to_string() + " -> " + map.out.to_string());
  const std::vector<std::vector<DiagonalBlock>> whole = diagonals(map).blocks;
  const std::vector<std::vector<Index>> inputs = inputs_of_outputs(map);
  ASSERT_EQ(inputs.size(), whole.size());
  for (std::size_t output = 0; output < whole.size(); ++output) {
    std::vector<Index> read;
    for (std::size_t input = 0; input < whole[output].size(); ++input)
      if (!whole[output][input].empty()) read.push_back(static_cast<Index>(input));
    EXPECT_EQ(inputs[output], read) << output;
  }
  constexpr std::size_t kVeryMany = std::size_t{1} << 30;
  for (const std::size_t held : {std::size_t{1}, kVeryMany})
    for (const std::size_t asked : {std::size_t{0}, whole.size()}) {
      DiagonalsByOutput made(map, held, asked);
      for (std::size_t output = whole.size(); output-- > 0;)
        EXPECT_EQ(made.blocks_of(static_cast<Index>(output)), whole[output]) << held << " " << asked << " " << output;
    }
}

TEST(DiagonalsByOutput, OfAnyMapAreThoseOfTheWhole) {
  std::mt19937 random(41);
  int done = 0;
  while (done < 20) {
    const Shape in = random_shape(random), out = random_shape(random);
    const Layout from = random_layout(in, 64, random), to = random_layout(out, 64, random);
    if (from.ciphertexts() * to.ciphertexts() > 200) continue;
    expect_by_output({from, to, some_entries(in, out, random)});
    ++done;
  }
}

TEST(DiagonalsByOutput, OfWindowsAndBatchesAreThoseOfTheWhole) {
  std::mt19937 random(42);
  const Shape full{1, 8, 8, 8}, half{1, 16, 4, 4};
  const auto guarded = [](Shape shape, Index batch, Index gap) {
    shape[0] = batch;
    return Layout::guarded(shape, 10, 2, gap, {}, 256);
  };
  const LinearOperatorPtr same = three_by_three(full, full, 1, random), strided = three_by_three(full, half, 2, random);
  for (const Fill fill : {Fill::zero, Fill::unknown}) {
    expect_by_output({guarded(full, 1, 1), guarded(full, 1, 1).filled(fill), same});
    expect_by_output({guarded(full, 1, 1), guarded(half, 1, 2).filled(fill), strided});
    expect_by_output({guarded(full, 3, 1), guarded(half, 3, 2).filled(fill), repeated(strided, 3)});
  }
  expect_by_output({Layout::row_major(full, 64), Layout::row_major(half, 64), strided});
  expect_by_output({guarded(full, 1, 1), guarded(full, 1, 1), std::make_shared<Identity>(full)});
}

/// Of so many ciphertexts, each with four elements in 65536 slots, the inputs with a copy in every half. Every output
/// reads one input.
class SparseCiphertexts {
 public:
  SparseCiphertexts(Index inputs, Index outputs)
      : map_{Layout({inputs, 2, 2}, {{0, inputs, 1, ""}},
                    {{kReplica, 2, 1, ""}, {1, Index{1} << 14, 1, ""}, {2, 2, 1, ""}}, {})
                 .filled(Fill::unknown),
             Layout({outputs, 2, 2}, {{0, outputs, 1, ""}}, {{1, Index{1} << 15, 1, ""}, {2, 2, 1, ""}}, {})
                 .filled(Fill::unknown),
             std::make_shared<SparseRows>(
                 Shape{inputs, 2, 2}, Shape{outputs, 2, 2},
                 [inputs](Index row, RowEntries& entries) { entries.add(row / 4 % inputs * 4 + row % 4, 1.0); })} {}

  /// How many blocks are held when the first output was asked for: one an output.
  Index held(std::size_t diagonals, std::size_t asked) const {
    DiagonalsByOutput made(map_, diagonals, asked);
    EXPECT_EQ(made.blocks_of(0)[0].size(), 1U);
    return made.set().blocks;
  }

 private:
  LinearMap map_;
};

// 256 MiB are 512 blocks of 65536 slots of one diagonal, or of the place of a diagonal where weights repeat.
TEST(DiagonalsByOutput, AllOutputsAreMadeInOnePassUpToABound) {
  const SparseCiphertexts most(16, 32), more(19, 27);
  EXPECT_EQ(most.held(1, 0), 32);
  EXPECT_EQ(most.held(2, 0), 1);
  // Where weights repeat, and half of the outputs will be asked for.
  EXPECT_EQ(most.held(2, 16), 32);
  EXPECT_EQ(most.held(2, 15), 1);
  EXPECT_EQ(more.held(1, 0), 1);
  EXPECT_EQ(more.held(1, 27), 1);
}

// The mean over the diagonals of all outputs, of which some repeat sooner than others and some have fewer diagonals.
TEST(DiagonalsByOutput, DensityIsThatOfTheWeightsWhereTheyRepeat) {
  std::mt19937 random(43);
  const Shape shape{1, 8, 8, 8};
  std::vector<double> weights(8 * 8 * 9);
  for (std::size_t w = 0; w < weights.size(); ++w) {
    const std::size_t output = w / 72, tap = w % 9;
    weights[w] = output < 2 ? 1.0 : output < 4 && tap != 4 ? 0.0 : static_cast<double>(random() % 9) - 3.5;
  }
  const WindowAxis axis{3, 1, 1, 1, 1};
  const auto op = std::make_shared<Convolution>(shape, shape, std::vector<WindowAxis>{axis, axis}, 1, weights);
  const Layout maps = Layout::guarded(shape, 10, 2, 1, {}, 256);
  ASSERT_EQ(maps.ciphertexts(), 4);
  const LinearMap repeating{maps, maps.filled(Fill::unknown), op}, cleaned{maps, maps, op};
  const std::optional<Diagonals> made = RepeatingDiagonals(repeating).of();
  ASSERT_TRUE(made.has_value());
  const DiagonalSet set = diagonal_set(repeating);
  EXPECT_NEAR(set.count.density, made->set.count.density, 1e-12);
  EXPECT_LE(set.count.density, 2.0 / 256);
  EXPECT_GE(set.count.density, 1.0 / 256);
  EXPECT_EQ(set.count.products, made->set.count.products);
  EXPECT_EQ(set.blocks, 16);
  EXPECT_EQ(set.diagonals, made->set.diagonals);
  double held = 0;
  for (const auto& row : made->blocks)
    for (const DiagonalBlock& block : row)
      for (const auto& [diagonal, list] : block) held += static_cast<double>(list.size());
  EXPECT_NEAR(set.count.density, held / static_cast<double>(set.count.products * set.slots), 1e-12);
  // Where the edges of maps are to be zero, a period is the bound.
  EXPECT_FALSE(RepeatingDiagonals(cleaned).of().has_value());
  EXPECT_EQ(diagonal_set(cleaned).count.density, 1);
}

}  // namespace
}  // namespace tacit::layout
