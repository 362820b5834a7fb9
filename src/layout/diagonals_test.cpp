#include "layout/diagonals.h"

#include <gtest/gtest.h>

#include <random>

#include "layout/apply_diagonals_for_test.h"
#include "layout/equal_parts.h"
#include "layout/operators/combined.h"
#include "layout/operators/matrix.h"
#include "layout/operators/movement.h"
#include "layout/operators/repeated.h"
#include "layout/operators/row_band.h"
#include "layout/operators/window.h"
#include "layout/random_layout_for_test.h"
#include "layout/random_window_for_test.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {
namespace {

LinearOperatorPtr random_operator(const Shape& in, const Shape& out, double density, std::mt19937& random) {
  std::uniform_real_distribution<double> weight(-1, 1), coin(0, 1);
  std::vector<Index> begin{0}, columns;
  std::vector<double> weights;
  for (Index row = 0; row < element_count(out); ++row) {
    for (Index column = 0; column < element_count(in); ++column)
      if (coin(random) < density) {
        columns.push_back(column);
        weights.push_back(weight(random));
      }
    begin.push_back(static_cast<Index>(columns.size()));
  }
  return std::make_shared<SparseRows>(in, out, begin, columns, weights);
}

void expect_equal_to_operator(const LinearMap& map, std::mt19937& random) {
  SCOPED_TRACE(map.in.to_string() + " -> " + map.out.to_string());
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> x(static_cast<std::size_t>(element_count(map.in.shape())));
  for (double& v : x) v = value(random);
  std::vector<double> y(static_cast<std::size_t>(element_count(map.out.shape())));
  for (Index row = 0; row < static_cast<Index>(y.size()); ++row)
    map.op->row(row, [&](Index column, double weight) {
      y[static_cast<std::size_t>(row)] += weight * x[static_cast<std::size_t>(column)];
    });
  const auto slots = apply_diagonals(map, packed_with_unknowns(map.in, x));
  const auto expected = map.out.pack(y);
  const auto known = known_slots(map.out);
  for (std::size_t c = 0; c < slots.size(); ++c)
    for (std::size_t s = 0; s < slots[c].size(); ++s) {
      if (!known[c][s]) continue;
      ASSERT_NEAR(slots[c][s], expected[c][s], 1e-12) << c << " " << s;
    }
  const DiagonalSet priced = diagonal_set(map), made = diagonals(map).set;
  EXPECT_EQ(priced.diagonals, made.diagonals);
  EXPECT_EQ(priced.count.products, made.count.products);
  EXPECT_EQ(priced.blocks, made.blocks);
}

TEST(Diagonals, EqualTheOperatorForVectorsOfAllShapes) {
  std::mt19937 random(2);
  for (const auto& [in, out] : std::vector<std::pair<Shape, Shape>>{{{64}, {64}},
                                                                    {{64}, {10}},
                                                                    {{10}, {64}},
                                                                    {{1}, {64}},
                                                                    {{64}, {1}},
                                                                    {{200}, {10}},
                                                                    {{10}, {200}},
                                                                    {{150}, {170}}})
    for (const double density : {0.05, 1.0})
      expect_equal_to_operator(
          {Layout::row_major(in, 64), Layout::row_major(out, 64), random_operator(in, out, density, random)}, random);
}

TEST(Diagonals, EqualTheOperatorBetweenGridsAndVectors) {
  std::mt19937 random(3);
  const Shape maps{1, 3, 6, 7}, half{1, 5, 3, 4}, vector{1, 20};
  const std::vector<Layout> in{Layout::row_major(maps, 512), Layout::row_major(maps, 128),
                               Layout::multiplexed(maps, 16, 16, 2, 512)};
  for (const Layout& from : in) {
    for (const Layout& to :
         {Layout::row_major(half, from.slots()),
          from.slots() == 512 ? Layout::multiplexed(half, 8, 8, 2, 512) : Layout::multiplexed(half, 8, 8, 2, 128)})
      expect_equal_to_operator({from, to, random_operator(maps, half, 0.2, random)}, random);
    expect_equal_to_operator({from, Layout::row_major(vector, from.slots()), random_operator(maps, vector, 1, random)},
                             random);
  }
}

TEST(Diagonals, EqualTheOperatorBetweenRandomLayouts) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 60; ++trial) {
    const Shape in = random_shape(random), out = random_shape(random);
    expect_equal_to_operator({random_layout(in, 64, random), random_layout(out, 64, random),
                              random_operator(in, out, trial % 2 == 0 ? 0.1 : 1.0, random)},
                             random);
  }
}

TEST(Diagonals, EqualConvolutionsBetweenMultiplexedGrids) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> weight(-1, 1);
  struct Case {
    Index channels, outputs, groups, kernel, stride, dilation, pad;
  };
  for (const Case& c :
       {Case{3, 8, 1, 3, 2, 1, 1}, Case{4, 4, 4, 3, 1, 2, 2}, Case{8, 16, 2, 5, 2, 1, 2}, Case{2, 40, 1, 1, 2, 1, 0}}) {
    const Index n = 16, m = (n + 2 * c.pad - (c.kernel - 1) * c.dilation - 1) / c.stride + 1;
    const Shape in{1, c.channels, n, n}, out{1, c.outputs, m, m};
    std::vector<double> weights(static_cast<std::size_t>(c.outputs * c.channels / c.groups * c.kernel * c.kernel));
    for (double& w : weights) w = weight(random);
    const WindowAxis axis{c.kernel, c.stride, c.dilation, c.pad, c.pad};
    const auto op = std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{axis, axis}, c.groups, weights);
    for (const Layout& from : {Layout::row_major(in, 2048), Layout::multiplexed(in, 32, 32, 2, 2048)})
      for (const Layout& to : {Layout::row_major(out, 2048), Layout::multiplexed(out, 32, 32, c.stride, 2048)})
        expect_equal_to_operator({from, to, op}, random);
  }
}

TEST(Diagonals, OfWindowsAreCountedByTapAsByEntry) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> weight(-1, 1), coin(0, 1);
  for (int trial = 0; trial < 120; ++trial) {
    RandomWindow window = random_window(random);
    const Shape& in = window.in;
    Shape& out = window.out;
    LinearOperatorPtr op;
    if (trial % 4 == 0) {
      out[1] = in[1];
      op = std::make_shared<AveragePool>(in, out, window.axes, trial % 8 == 0);
    } else {
      std::vector<double> weights(static_cast<std::size_t>(window.weights()));
      for (double& w : weights) w = coin(random) < 0.4 ? 0 : weight(random);
      op = std::make_shared<Convolution>(in, out, window.axes, window.groups, weights);
      if (trial % 4 == 1)
        op = scaled(op, RepeatedReals(std::vector<double>(static_cast<std::size_t>(out[1]), trial % 8 == 1 ? 0.0 : 2.0),
                                      element_count(out) / out[0] / out[1]));
    }
    ASSERT_TRUE(op->window_pattern().has_value() || trial % 8 == 1);
    expect_equal_to_operator({random_layout(in, 256, random), random_layout(out, 256, random), op}, random);
  }
}

TEST(Diagonals, OfRepeatedMatricesAreCountedByRowAsByEntry) {
  std::mt19937 random(10);
  std::uniform_real_distribution<double> weight(-1, 1), coin(0, 1);
  const auto up_to = [&](Index most) { return std::uniform_int_distribution<Index>(1, most)(random); };
  for (int trial = 0; trial < 60; ++trial) {
    // [batch, channels, places] to [batch, rows, places]; the matrix is held by rows or by columns.
    const Index batch = up_to(4), channels = up_to(6), rows = up_to(6), places = trial % 3 == 0 ? 1 : up_to(5);
    Contraction::Terms terms{.in_base = {},
                             .weight_base = {},
                             .in_step = places,
                             .weight_step = trial % 2 == 0 ? 1 : rows,
                             .count = channels,
                             .scale = 0.5,
                             .weights = {}};
    for (Index i = 0; i < rows * channels; ++i) terms.weights.push_back(coin(random) < 0.3 ? 0 : weight(random));
    for (Index r = 0; r < batch * rows * places; ++r) {
      terms.in_base.push_back(r / (rows * places) * channels * places + r % places);
      terms.weight_base.push_back(r / places % rows * (trial % 2 == 0 ? channels : 1));
    }
    const Shape in{batch, channels, places}, out{batch, rows, places};
    const auto op = std::make_shared<Contraction>(in, out, terms);
    ASSERT_TRUE(op->window_pattern().has_value());
    expect_equal_to_operator({random_layout(in, 256, random), random_layout(out, 256, random), op}, random);
    // Axes of the layout that the window joins, and one that it has and the layout has not.
    const Shape split_in{1, 2, batch, channels, places}, split_out{2, batch, rows, 1, places};
    Contraction::Terms twice = terms;
    twice.in_base.clear();
    twice.weight_base.clear();
    for (Index r = 0; r < 2 * batch * rows * places; ++r) {
      twice.in_base.push_back(r / (rows * places) * channels * places + r % places);
      twice.weight_base.push_back(terms.weight_base[static_cast<std::size_t>(r % (rows * places))]);
    }
    expect_equal_to_operator({random_layout(split_in, 256, random), random_layout(split_out, 256, random),
                              std::make_shared<Contraction>(split_in, split_out, twice)},
                             random);
    // Axes that are joined otherwise, with entries that no window has in them.
    const Shape joined{batch * channels, places}, row{batch * rows * places};
    expect_equal_to_operator({random_layout(joined, 256, random), random_layout(row, 256, random), op}, random);
  }
}

TEST(Diagonals, OfManyBlocksAreListed) {
  // Element (i, j) leaves slot j of ciphertext i for slot i % 64 of another: every entry has a block of its own.
  constexpr Index kRows = 8192, kSlots = 64;
  std::vector<Index> source(kRows * kSlots);
  for (Index e = 0; e < kRows * kSlots; ++e) source[static_cast<std::size_t>(e)] = e % kRows * kSlots + e / kRows;
  const Shape in{kRows, kSlots}, out{kSlots, kRows};
  const DiagonalSet set = diagonal_set({Layout::row_major(in, kSlots), Layout::row_major(out, kSlots),
                                        std::make_shared<Gather>(in, out, source, std::vector<double>())});
  EXPECT_EQ(set.blocks, kRows * kSlots);
  EXPECT_EQ(set.count.products, kRows * kSlots);
  EXPECT_EQ(set.diagonals.size(), 64u);
}

TEST(Diagonals, AStridedConvolutionIntoTheGapsKeepsTheTapsAsDiagonals) {
  // One channel 28 x 28, 5 x 5 taps, stride 2, into four channels in the gaps of a 32 x 32 grid: rows and columns stay
  // where they were, so taps and gap positions are all that moves.
  const Shape in{1, 1, 28, 28}, out{1, 4, 12, 12};
  const auto op =
      std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{{5, 2}, {5, 2}}, 1, std::vector<double>(100, 1.0));
  const DiagonalSet set = diagonal_set({Layout::row_major(in, 4096), Layout::multiplexed(out, 32, 32, 2, 4096), op});
  EXPECT_EQ(set.modulus, 1024);
  EXPECT_EQ(set.count.products, 36);  // (5 taps + 1) squared: offsets -1 to 4 on each axis
  EXPECT_TRUE(set.folds.empty());
}

TEST(Diagonals, FillReplicasInsideThePeriod) {
  std::mt19937 random(4);
  const Layout in({8}, {}, {{kReplica, 2, 1, ""}, {0, 8, 1, ""}}, {});
  const Layout out({4}, {}, {{0, 4, 1, ""}, {kReplica, 4, 1, ""}}, {});
  expect_equal_to_operator({in, out, random_operator({8}, {4}, 1, random)}, random);
  const Layout mixed({4}, {}, {{kReplica, 2, 1, ""}, {0, 2, 2, ""}, {kReplica, 2, 1, ""}, {0, 2, 1, ""}}, {});
  expect_equal_to_operator({in, mixed, random_operator({8}, {4}, 1, random)}, random);
  expect_equal_to_operator({mixed, in, random_operator({4}, {8}, 1, random)}, random);
}

TEST(Diagonals, AMatrixWithFewRowsNeedsAsManyDiagonalsAsRowsAndFolds) {
  std::mt19937 random(5);
  const DiagonalSet set = diagonal_set(
      {Layout::row_major({784}, 4096), Layout::row_major({10}, 4096), random_operator({784}, {10}, 1, random)});
  EXPECT_EQ(set.count.products, 16);
  EXPECT_EQ(set.folds, (std::vector<Index>{512, 256, 128, 64, 32, 16}));
}

LinearOperatorPtr convolution(const Shape& in, const Shape& out, Index stride, std::mt19937& random) {
  std::uniform_real_distribution<double> weight(0.5, 1);
  std::vector<double> weights(static_cast<std::size_t>(out[1] * in[1] * 9));
  for (double& w : weights) w = weight(random);
  const WindowAxis axis{3, stride, 1, 1, 1};
  return std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{axis, axis}, 1, std::move(weights));
}

TEST(Diagonals, OfGuardedWindowsRepeatWithTheChannels) {
  std::mt19937 random(11);
  constexpr Index kPitch = 10, kCell = 4, kSlots = 512;
  const auto guarded = [&](const Shape& shape, Index gap) {
    return Layout::guarded(shape, kPitch, kCell, gap, {}, kSlots);
  };
  const Shape full{1, 4, 8, 8}, half{1, 8, 4, 4};
  // A row of taps reaches from the last channel of the left pixel to the first of the right one, and back.
  const LinearMap same{guarded(full, 1), guarded(full, 1).filled(Fill::unknown), convolution(full, full, 1, random)};
  expect_equal_to_operator(same, random);
  EXPECT_EQ(diagonal_set(same).count.products, 3 * (4 * kCell - 1));
  EXPECT_EQ(diagonal_set(same).count.density, static_cast<double>(kCell) / kSlots);

  const LinearMap strided{guarded(full, 1), guarded(half, 2).filled(Fill::unknown), convolution(full, half, 2, random)};
  expect_equal_to_operator(strided, random);
  EXPECT_EQ(diagonal_set(strided).count.density, 2.0 * kCell / kSlots);

  const LinearMap after{guarded(half, 2), guarded(half, 2).filled(Fill::unknown), convolution(half, half, 1, random)};
  expect_equal_to_operator(after, random);
  EXPECT_EQ(diagonal_set(after).count.products, 3 * (8 * kCell - 1));
  EXPECT_EQ(diagonal_set(after).count.density, 2.0 * kCell / kSlots);

  // Where the input's guards are unknown, or the output's are to be zero, the edges of the maps show.
  const LinearMap unclean{guarded(full, 1).filled(Fill::unknown), same.out, same.op};
  expect_equal_to_operator(unclean, random);
  EXPECT_GT(diagonals(unclean).set.count.density, 0.5);
  const LinearMap cleaned{same.in, guarded(full, 1), same.op};
  expect_equal_to_operator(cleaned, random);
  EXPECT_GT(diagonals(cleaned).set.count.density, 0.5);
}

// Maps whose rows lie in phases, each in a ciphertext: windows with and without a stride read every phase in place, and
// the weights repeat with the channels.
TEST(Diagonals, OfWindowsOverPhasesOfRowsRepeatWithTheChannels) {
  std::mt19937 random(21);
  constexpr Index kPitch = 20, kSlots = 256;
  const auto at = [&](const Shape& shape, Index gap, Index phases) {
    return Layout::guarded(shape, kPitch, 1, gap, {.phases = phases}, kSlots);
  };
  const auto window = [&](const Shape& in, const Shape& out, WindowAxis axis) {
    std::vector<double> weights(static_cast<std::size_t>(out[1] * in[1] * axis.kernel * axis.kernel));
    std::uniform_real_distribution<double> weight(-1, 1);
    for (double& w : weights) w = weight(random);
    return std::make_shared<Convolution>(in, out, std::vector<WindowAxis>{axis, axis}, 1, std::move(weights));
  };
  // The first convolution of a ResNet on small maps: 3 x 16 x 16 to 4 x 8 x 8 in windows of 7 x 7.
  const Shape image{1, 3, 16, 16}, maps{1, 4, 8, 8}, same{1, 2, 16, 16};
  for (const Index phases : {2, 4}) {
    const Layout in = at(image, 1, phases), out = at(maps, 2, phases).filled(Fill::unknown);
    EXPECT_EQ(in.ciphertexts(), 3 * phases);
    EXPECT_EQ(out.ciphertexts(), phases);  // two channels in one
    const LinearMap stem{in, out, window(image, maps, {7, 2, 1, 3, 3})};
    expect_equal_to_operator(stem, random);
    const DiagonalSet set = diagonal_set(stem);
    // Seven rows of taps, each in one phase; eight distances along a row, of seven taps and two channels.
    EXPECT_EQ(set.count.products, 3 * phases * 7 * 8);
    EXPECT_EQ(set.count.density, 2.0 / kSlots);
    const LinearMap kept{in, at(same, 1, phases).filled(Fill::unknown), window(image, same, {3, 1, 1, 1, 1})};
    expect_equal_to_operator(kept, random);
    EXPECT_EQ(diagonal_set(kept).count.density, 1.0 / kSlots);
    const LinearMap cleaned{in, at(maps, 2, phases), stem.op};
    expect_equal_to_operator(cleaned, random);
  }
}

// Maps without guards: a window that leaves its map would read another row, or another map's. On slices that row is
// known to be zero.
TEST(Diagonals, OfSlicesOfTightMapsRepeatWithTheRows) {
  std::mt19937 random(14);
  constexpr Index kPitch = 8, kCell = 4, kSlots = 512;  // of which two maps of 8 x 8 x 4 take all
  const auto tight = [&](const Shape& shape, Index gap, Index maps) {
    return Layout::guarded(shape, kPitch, kCell, gap, {.maps = maps, .spread = 2}, kSlots);
  };
  const Shape full{4, 4, 8, 8}, half{4, 8, 4, 4};
  const Shape one{1, 4, 8, 8}, one_half{1, 8, 4, 4};
  struct Step {
    Layout in, out;
    LinearOperatorPtr op;
    Shape from, to;
    Index stride;
  };
  const Layout in = tight(full, 1, 2), out = tight(half, 2, 4);
  EXPECT_EQ(in.ciphertexts(), 2);
  EXPECT_EQ(out.ciphertexts(), 1);
  for (const Step& step : {Step{in, in, repeated(convolution(one, one, 1, random), 4), full, full, 1},
                           Step{in, out, repeated(convolution(one, one_half, 2, random), 4), full, half, 2},
                           Step{out, out, repeated(convolution(one_half, one_half, 1, random), 4), half, half, 1}}) {
    EXPECT_GE(diagonals({step.in, step.out, step.op}).set.count.density, 0.5);
    const Index rows = step.from[2];
    for (Index offset = -1; offset <= 1; ++offset) {
      const bool leaves = offset < 0 || offset >= step.stride;
      const Index begin = offset >= step.stride ? 1 : 0, kept = leaves ? rows - 1 : rows;
      Shape shape = step.from;
      shape[2] = kept;
      const Index gap = step.in == in ? 1 : 2;
      const Layout slice = tight(shape, gap, step.in == in ? 2 : 4);
      if (kept < rows) {
        const LinearMap cut{step.in, slice, kept_rows(step.from, begin, kept)};
        expect_equal_to_operator(cut, random);
        EXPECT_EQ(diagonal_set(cut).diagonals.size(), 1u);
      }
      const LinearMap band{slice, step.out,
                           selected(step.op, {step.from, step.to, step.stride, offset, offset, begin, kept})};
      expect_equal_to_operator(band, random);
      // Two rows of two maps, or of one and what lies between: all that differs from row to row.
      EXPECT_LE(diagonal_set(band).count.density, 4.0 * kPitch * kCell / kSlots) << offset;
    }
  }
}

TEST(Diagonals, OfSamplesInOtherCiphertextsAreTheSame) {
  std::mt19937 random(13);
  const Shape full{1, 4, 8, 8}, half{1, 8, 4, 4};
  const auto guarded = [&](Shape shape, Index gap, Index maps) {
    shape[0] = 4;
    return Layout::guarded(shape, 10, 4, gap, {.maps = maps}, 512);
  };
  const LinearOperatorPtr strided = convolution(full, half, 2, random), after = convolution(half, half, 1, random);
  const Layout in = guarded(full, 1, 1), alone = guarded(half, 2, 1).filled(Fill::unknown),
               paired = guarded(half, 2, 2);
  const LinearMap into{in, alone, repeated(strided, 4)};
  const LinearMap behind{paired, paired.filled(Fill::unknown), repeated(after, 4)};
  const LinearMap meets{alone, paired, repeated(std::make_shared<Identity>(half), 4)};
  const LinearMap masked{in, paired.filled(Fill::unknown), repeated(strided, 4)};
  for (const auto& [map, parts, density] :
       {std::tuple(into, Index{4}, 8.0 / 512), std::tuple(behind, Index{2}, 8.0 / 512),
        std::tuple(meets, Index{2}, 1.0), std::tuple(masked, Index{2}, 1.0)}) {
    expect_equal_to_operator(map, random);
    const DiagonalSet set = diagonal_set(map);
    EXPECT_EQ(set.count.parts, parts);
    EXPECT_LE(set.count.density, density);
    const EqualParts equal = equal_parts(map);
    ASSERT_EQ(equal.count, parts);
    const Diagonals whole = diagonals(map), part = diagonals(equal.part);
    EXPECT_EQ(set.count.products, whole.set.count.products);
    EXPECT_EQ(set.blocks, whole.set.blocks);
    EXPECT_EQ(set.diagonals, whole.set.diagonals);
    const std::size_t outputs = part.blocks.size(), inputs = part.blocks[0].size();
    for (std::size_t j = 0; j < whole.blocks.size(); ++j)
      for (std::size_t i = 0; i < whole.blocks[j].size(); ++i) {
        const bool same_group = j / outputs == i / inputs;
        EXPECT_EQ(whole.blocks[j][i], same_group ? part.blocks[j % outputs][i % inputs] : DiagonalBlock{});
      }
  }
  // A batch that leaves places free in its last ciphertext is no sequence of equal groups.
  Shape three = half;
  three[0] = 3;
  const Layout uneven = Layout::guarded(three, 10, 4, 2, {.maps = 2}, 512);
  const LinearMap last{uneven, uneven.filled(Fill::unknown), repeated(after, 3)};
  EXPECT_EQ(equal_parts(last).count, 1);
  expect_equal_to_operator(last, random);
}

// A column that a row names twice counts once where slots are compared with entries.
TEST(Diagonals, EntriesThatComeTwiceAddUp) {
  std::mt19937 random(12);
  const Shape shape{1, 4, 8, 8};
  std::vector<Index> begin{0}, columns;
  for (Index row = 0; row < element_count(shape); ++row) {
    if (row % 64 < 32) columns.push_back(row);  // the upper half of every map
    begin.push_back(static_cast<Index>(columns.size()));
  }
  const auto upper =
      std::make_shared<SparseRows>(shape, shape, begin, columns, std::vector<double>(columns.size(), 1.0));
  const Layout in = Layout::guarded(shape, 10, 4, 1, {}, 512);
  expect_equal_to_operator({in, in.filled(Fill::unknown), std::make_shared<Sum>(upper, upper)}, random);
  const LinearOperatorPtr twice =
      std::make_shared<Composed>(convolution(shape, shape, 1, random), convolution(shape, shape, 1, random));
  expect_equal_to_operator({in, in.filled(Fill::unknown), twice}, random);
}

TEST(Diagonals, PartsThatShareTheirWeightsCountThemOnce) {
  EXPECT_EQ((DiagonalCount{.products = 12, .density = 0.25}).weights(512), 12 * 128);
  EXPECT_EQ((DiagonalCount{.products = 12, .density = 0.25, .parts = 3}).weights(512), 4 * 128);
}

// Slots that matter are counted in bytes: so many at a time that none overflows, however many there are.
TEST(Diagonals, OfMapsThatFillAllSlotsRepeatWithTheChannels) {
  std::mt19937 random(22);
  constexpr Index kCell = 4;
  for (const Index side : {16, 64, 128}) {
    const Shape shape{1, kCell, side, side};
    const Layout maps = Layout::guarded(shape, side, kCell, 1, {}, kCell * side * side);
    EXPECT_FALSE(maps.has_padding(Fill::zero));
    std::vector<double> weights(kCell * kCell);
    std::uniform_real_distribution<double> weight(0.5, 1);
    for (double& w : weights) w = weight(random);
    const LinearMap map{maps, maps.filled(Fill::unknown),
                        std::make_shared<Convolution>(shape, shape, std::vector<WindowAxis>(2), 1, weights)};
    const DiagonalSet set = diagonal_set(map);
    EXPECT_EQ(set.count.products, 2 * kCell - 1) << side;
    EXPECT_EQ(set.count.density * static_cast<double>(set.slots), static_cast<double>(kCell)) << side;
    if (side == 16) expect_equal_to_operator(map, random);
  }
}

}  // namespace
}  // namespace tacit::layout
