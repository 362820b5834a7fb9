#include "tensor/operators.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "layout/operators/matrix.h"
#include "tensor/random_tiles_for_test.h"
#include "tensor/session.h"
#include "tensor/small_session_for_test.h"

namespace tacit::tensor {
namespace {

using testing::RandomTiles;

constexpr int kTrials = 250;

TEST(Operators, ElementwiseEqualsPlainArithmetic) {
  RandomTiles random(kSlots, 1);
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto [a, b] = random.compatible();
    for (const char op : {'+', '-', '*'}) {
      const TileTensor result = op == '+'   ? add(a.tiles, b.tiles)
                                : op == '-' ? subtract(a.tiles, b.tiles)
                                            : multiply(a.tiles, b.tiles);
      testing::expect_holds(result, testing::elementwise(a.tensor, b.tensor, op));
      EXPECT_EQ(result.level(), a.tiles.level() - (op == '*' ? 1 : 0));
    }
  }
}

TEST(Operators, PlainOperandsEqualPlainArithmeticAndClearUnknowns) {
  RandomTiles random(kSlots, 2);
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto [a, b] = random.compatible();
    const PlainTensor plain(random.session(), b.tiles.shape().without_unknowns(), b.tensor);
    testing::expect_holds(add(a.tiles, plain), testing::elementwise(a.tensor, b.tensor, '+'));
    const TileTensor product = multiply(a.tiles, plain);
    EXPECT_FALSE(product.shape().has_unknowns()) << product.shape().to_string();
    testing::expect_holds(product, testing::elementwise(a.tensor, b.tensor, '*'));
  }
}

// Copies of a plaintext that lie on unknowns would not clear them.
TEST(Operators, PlainCopiesLieWhereTheirOperandHasItsValue) {
  RandomTiles random(kSlots, 21);
  for (const char* text :
       {"{x 1|8 junk}{y 1|8}", "{x copy 2|8 junk}{y 1|8}", "{x 1|8}{y 1|8}", "{x copy 8|8}{y 1|8 junk}"}) {
    const auto a = random.make(TileShape::parse(text));
    for (const char* copies : {"{x copy 4|8}{y copy 2|8}", "{x copy 8|8}{y copy 8|8}", "{x 1|8}{y copy 4|8}"}) {
      const TileTensor product =
          multiply(a.tiles, PlainTensor(random.session(), TileShape::parse(copies), {{1, 1}, {3.0}}));
      EXPECT_FALSE(product.shape().has_unknowns()) << product.shape().to_string();
      const Dense expected{{1, 1}, {3 * a.tensor.values[0]}};
      testing::expect_holds(product, expected);
      testing::expect_holds(replicate(replicate(product, 0), 1), expected);
    }
  }
}

TEST(Operators, ScalarsReachTheElements) {
  RandomTiles random(kSlots, 3);
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto a = random.make();
    Dense shifted = a.tensor, scaled = a.tensor;
    for (double& x : shifted.values) x += 2.5;
    for (double& x : scaled.values) x *= -3;
    testing::expect_holds(add(a.tiles, 2.5), shifted);
    testing::expect_holds(multiply(a.tiles, -3.0), scaled);
    EXPECT_FALSE(multiply(a.tiles, -3.0).shape().has_unknowns());
  }
}

TEST(Operators, SumsOverAnyDimension) {
  RandomTiles random(kSlots, 4);
  for (int trial = 0; trial < 2 * kTrials; ++trial) {
    const auto a = random.make();
    for (int dim = 0; dim < a.tiles.shape().rank(); ++dim)
      for (const FoldOptions options : {FoldOptions{true, 1}, FoldOptions{false, 1}, FoldOptions{false, 2}}) {
        if (a.tiles.shape().dim(dim).unknown) {
          if (a.tiles.shape().dim(dim).size > 1) {
            EXPECT_THROW(sum(a.tiles, dim), base::InputError);
          }
          continue;
        }
        const TileTensor total = sum(a.tiles, dim, options);
        testing::expect_holds(total, testing::summed(a.tensor, dim));
        const auto& before = a.tiles.shape().dim(dim);
        const auto& after = total.shape().dim(dim);
        EXPECT_EQ(after.size, 1);
        if (before.size > 1 && options.all_places) {
          EXPECT_EQ(after.replicated(), a.tiles.shape().leads(dim) || before.tile == 1);
          EXPECT_EQ(after.unknown, !a.tiles.shape().leads(dim) && before.tile > 1);
        }
        if (total.pending_dim() >= 0) {
          const TileTensor complete = replicate(total, dim, options);
          EXPECT_TRUE(complete.shape().dim(dim).replicated());
          testing::expect_holds(complete, testing::summed(a.tensor, dim));
        }
      }
  }
}

TEST(Operators, ContractionEqualsProductThenSum) {
  RandomTiles random(kSlots, 5);
  int done = 0;
  for (int trial = 0; trial < 2 * kTrials; ++trial) {
    const auto [a, b] = random.compatible();
    const Dense product = testing::elementwise(a.tensor, b.tensor, '*');
    const TileShape shape = multiply(a.tiles, b.tiles).shape();
    for (int dim = 0; dim < shape.rank(); ++dim) {
      const PlainTensor plain(random.session(), b.tiles.shape().without_unknowns(), b.tensor);
      testing::expect_holds(multiply_sum(a.tiles, plain, dim), testing::summed(product, dim));
      if (shape.dim(dim).unknown) continue;
      const TileTensor total = multiply_sum(a.tiles, b.tiles, dim);
      testing::expect_holds(total, testing::summed(product, dim));
      EXPECT_EQ(total.level(), a.tiles.level() - 1);
      ++done;
    }
  }
  EXPECT_GT(done, kTrials);
}

TEST(Operators, ReplicatesOneValue) {
  RandomTiles random(kSlots, 6);
  int done = 0;
  for (int trial = 0; trial < 3 * kTrials; ++trial) {
    const auto a = random.make();
    for (int dim = 0; dim < a.tiles.shape().rank(); ++dim) {
      const auto& one = a.tiles.shape().dim(dim);
      if (one.size != 1 || one.replicated()) continue;
      const TileTensor clean = clear_unknowns(a.tiles);
      EXPECT_FALSE(clean.shape().has_unknowns());
      for (const int hoist : {1, 2}) {
        const TileTensor copies = replicate(clean, dim, {false, hoist});
        EXPECT_TRUE(copies.shape().dim(dim).replicated());
        testing::expect_holds(copies, a.tensor);
      }
      if (one.unknown) {
        EXPECT_THROW(replicate(a.tiles, dim), base::InputError);
      } else {
        try {
          testing::expect_holds(replicate(a.tiles, dim), a.tensor);
        } catch (const base::InputError&) {
          EXPECT_TRUE(a.tiles.shape().has_unknowns());
        }
      }
      ++done;
    }
  }
  EXPECT_GT(done, 100);
}

TEST(Operators, RotatesSlicesAndJoinsAtAnyPlace) {
  RandomTiles random(kSlots, 7);
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto a = random.make();
    const int dim = random.pick(0, a.tiles.shape().rank() - 1);
    const Index n = a.tiles.shape().dim(dim).size;
    const Index steps = random.pick(-9, 9);
    testing::expect_holds(rotate(a.tiles, dim, steps),
                          testing::taken(a.tensor, dim, n, [&](Index c) { return (((c + steps) % n) + n) % n; }));
    const Index begin = random.pick(0, static_cast<int>(n) - 1), count = random.pick(1, static_cast<int>(n - begin));
    const TileTensor part = slice(a.tiles, dim, begin, count);
    testing::expect_holds(part, testing::taken(a.tensor, dim, count, [&](Index c) { return begin + c; }));
    testing::expect_holds(concat(a.tiles, part, dim),
                          testing::taken(a.tensor, dim, n + count, [&](Index c) { return c < n ? c : begin + c - n; }));
  }
}

TEST(Operators, ReshardsToAnyShape) {
  RandomTiles random(kSlots, 8);
  for (int trial = 0; trial < kTrials; ++trial) {
    const auto a = random.make();
    const TileShape target = random.shape_of(a.tensor.sizes).without_unknowns();
    const TileTensor moved = reshard(a.tiles, target);
    EXPECT_EQ(moved.shape(), moved.shape() == a.tiles.shape() ? a.tiles.shape() : target);
    testing::expect_holds(moved, a.tensor);
    const int dim = random.pick(0, target.rank() - 1);
    const Dense total = testing::summed(a.tensor, dim);
    testing::expect_holds(sum_into(a.tiles, dim, random.shape_of(total.sizes).without_unknowns()), total);
  }
}

TEST(Operators, LevelsMeetAtTheLower) {
  RandomTiles random(kSlots, 9);
  const auto [a, b] = random.compatible();
  const TileTensor lower = multiply(clear_unknowns(a.tiles), 2.0);
  const TileTensor sum_of_both = add(lower, b.tiles);
  EXPECT_EQ(sum_of_both.level(), lower.level());
}

// A pending replication is completed where there are values to meet, and only there.
TEST(Operators, PendingCopiesAreMadeForSeveralValues) {
  const SessionPtr session = clear_session(kSlots, 3);
  const auto ones = [](const Shape& sizes) {
    return Dense{sizes, std::vector<double>(static_cast<std::size_t>(layout::element_count(sizes)), 1.0)};
  };
  const auto make = [&](const char* text) {
    const TileShape shape = TileShape::parse(text);
    return encrypt(session, shape, ones(shape.sizes()), 3);
  };
  const TileTensor pending = sum(make("{x 3|8}{y 3|8}"), 0);
  ASSERT_EQ(pending.shape().to_string(), "{x 1|8 junk}{y 3|8}");
  ASSERT_EQ(pending.pending_dim(), 0);

  const TileTensor two = add(pending, make("{x 2|8}{y 3|8}"));
  EXPECT_EQ(two.shape().to_string(), "{x 2|8 junk}{y 3|8}");
  EXPECT_EQ(decrypt(two).values, std::vector<double>(6, 4.0));
  EXPECT_EQ(multiply(make("{x 2|8}{y 3|8}"), pending).shape().to_string(), "{x 2|8}{y 3|8}");

  const TileTensor one = add(pending, make("{x copy 8}{y 3|8}"));
  EXPECT_EQ(one.shape().to_string(), "{x 1|8 junk}{y 3|8}");
  EXPECT_EQ(decrypt(one).values, std::vector<double>(3, 4.0));
  const PlainTensor plain(session, TileShape::parse("{x copy 8}{y 3|8}"), ones({1, 3}));
  EXPECT_EQ(add(pending, plain).shape().to_string(), "{x 1|8 junk}{y 3|8}");

  // Not for an operand of other dimensions, which is refused.
  for (const char* other : {"{5|64}", "{5|8}{3|8}{1}"}) {
    const TileTensor b = make(other);
    EXPECT_EQ(base::refusal([&] { add(pending, b); }),
              fmt::format("add: {{x 1|8 junk}}{{y 3|8}} has 2 dimensions and {} has {}", other, b.shape().rank()));
  }
}

TEST(Operators, APlaintextIsNotBentToFitItsOperand) {
  RandomTiles random(kSlots, 22);
  const auto refused = [&](const char* left, const char* right, const char* why) {
    const auto a = random.make(TileShape::parse(left));
    const TileShape shape = TileShape::parse(right);
    const PlainTensor b(random.session(), shape, random.tensor(shape.sizes()));
    EXPECT_EQ(base::refusal([&] { multiply(a.tiles, b); }), fmt::format("multiply: {} and {}: {}", left, right, why));
  };
  refused("{x 20|8 woven junk}{y 3|8}", "{x 20|8}{y 3|8}",
          "dimension 0 'x': one is woven otherwise than the other; reshard one of them");
  refused("{x 1|8 junk}{y 3|8}", "{x 5|8}{y 3|8}",
          "dimension 0 'x': its one value must be in all 8 places to meet 5 values; clear its unknowns and replicate "
          "it, or sum it with all places");
}

TEST(Operators, UnknownTilesOfAnEarlierDimensionDoNotSpreadIntoCopies) {
  RandomTiles random(kSlots, 23);
  const auto a = random.make(TileShape::parse("{x 3 woven 4 junk}{y 1|64}"));
  const TileTensor copies = replicate(a.tiles, 1);
  EXPECT_EQ(copies.shape().to_string(), "{x 3 woven 4 junk}{y copy 64}");
  testing::expect_holds(copies, a.tensor);
}

TEST(Operators, TheFirstExampleOfTheLiterature) {
  // A 5 x 6 matrix in tiles of 2 x 4, and its sums with the published leftovers.
  const auto session = clear_session(8, 4);
  Dense matrix{{6, 4}, {}};
  for (int i = 0; i < 24; ++i) matrix.values.push_back(i);
  const TileTensor x = encrypt(session, TileShape::parse("{n any|4}{d any|2}"), matrix, 2);
  const Dense weights{{1, 4}, {0, 1, 2, 3}};
  const PlainTensor w(session, TileShape::parse("{n any|4}{d any|2}").with_replicated(0), weights);
  const TileTensor y = multiply_sum(x, w, 1, {true, 1});
  EXPECT_EQ(y.shape().to_string(), "{n 6|4}{d 1|2 junk}");
  EXPECT_EQ(decrypt(y).values, (std::vector<double>{14, 38, 62, 86, 110, 134}));
  const auto tiles = session->decrypt(y.view(), slots::Decoding::exact);
  EXPECT_EQ(tiles[0], (std::vector<double>{14, 22, 38, 46, 62, 70, 86, 62}));
  EXPECT_EQ(tiles[1], (std::vector<double>{110, 118, 134, 90, 0, 0, 0, 36}));
}

TEST(Operators, FourMatricesChain) {
  const auto session = clear_session(16384, 8);
  std::mt19937 engine(1);
  const auto matrix = [&](Shape sizes) {
    Dense dense{std::move(sizes), {}};
    dense.values.resize(static_cast<std::size_t>(layout::element_count(dense.sizes)));
    for (double& x : dense.values) x = static_cast<double>(engine() % 7) - 3;
    return dense;
  };
  const TileShape first = TileShape::parse("{any|16}{any|16}{copy 64}"),
                  later = TileShape::parse("{any|16}{copy 16}{any|64}");
  const Dense m1 = matrix({5, 4, 1}), m2 = matrix({5, 1, 6}), m3 = matrix({7, 1, 6}), m4 = matrix({7, 1, 8});
  const FoldOptions all{true, 1};
  TileTensor x = multiply_sum(encrypt(session, first, m1, 4), encrypt(session, later, m2, 4), 0, all);
  EXPECT_EQ(x.shape().to_string(), "{copy 16}{4|16}{6|64}");
  x = multiply_sum(x, encrypt(session, later, m3, 3), 2, all);
  EXPECT_EQ(x.shape().to_string(), "{7|16}{4|16}{1|64 junk}");
  x = clear_unknowns(x);
  EXPECT_EQ(x.shape().to_string(), "{7|16}{4|16}{1|64}");
  x = replicate(x, 2);
  EXPECT_EQ(x.shape().to_string(), "{7|16}{4|16}{copy 64}");
  x = multiply_sum(x, encrypt(session, later, m4, 1), 0, all);
  EXPECT_EQ(x.shape().to_string(), "{copy 16}{4|16}{8|64}");
  EXPECT_EQ(x.level(), 0);
  const Dense p1 = testing::summed(testing::elementwise(m1, m2, '*'), 0);
  const Dense p2 = testing::summed(testing::elementwise(p1, m3, '*'), 2);
  testing::expect_holds(x, testing::summed(testing::elementwise(p2, m4, '*'), 0));
}

TEST(Operators, RefusalsNameTheWayOut) {
  const auto session = clear_session(kSlots, 3), other = clear_session(kSlots, 3);
  const auto make = [](const auto& reading, const char* text, int level = 3) {
    const TileShape shape = TileShape::parse(text);
    Dense dense{shape.sizes(), {}};
    dense.values.assign(static_cast<std::size_t>(layout::element_count(dense.sizes)), 1.0);
    return encrypt(reading, shape, dense, level);
  };
  const TileTensor a = make(session, "{x 5|8}{y 3|8}");
  const auto says = [](const auto& body, const char* part) { base::expect_refusal<base::InputError>(body, part); };
  says([&] { make(session, "{x 5|8}"); }, "tile extents must multiply");
  says([&] { make(session, "{x 5|8}{y 3|8}", 4); }, "level 4 is outside 0 to 3");
  says([&] { encrypt(session, a.shape(), {{5, 3}, {1, 2}}, 1); }, "has 2 values");
  says([&] { add(a, make(session, "{x 5|16}{y 3|4}")); }, "tile extents 8 and 16 differ; reshard");
  says([&] { add(a, make(session, "{x 4|8}{y 3|8}")); }, "neither is 1");
  says([&] { add(a, make(session, "{x 1|8}{y 3|8}")); }, "replicate it first");
  says([&] { add(a, make(session, "{64}{5|8}{3|8}")); }, "dimensions");
  says([&] { add(a, make(other, "{x 5|8}{y 3|8}")); }, "different sessions");
  says([&] { multiply(a, make(session, "{x 5|8}{y 3|8}", 0)); }, "no level is left");
  says([&] { sum(a, 2); }, "no dimension 2");
  says([&] { sum(a, 0, {false, 9}); }, "hoist is 9");
  says([&] { replicate(a, 0); }, "only one value can be replicated");
  says([&] { replicate(sum(a, 1), 1); }, "would spread; clear them first");
  says([&] { slice(a, 0, 3, 3); }, "do not exist");
  says([&] { concat(a, make(session, "{x 5|8}{y 2|8}"), 0); }, "another dimension");
  says([&] { reshard(a, TileShape::parse("{x 7|8}{y 3|8}")); }, "different numbers of elements");
  says([&] { linear(a, nullptr, a.shape()); }, "no operator");
  says([&] { add(sum(a, 1), make(session, "{x 5|8}{y 3|8}")); }, "clear its unknowns and replicate it");
}

}  // namespace
}  // namespace tacit::tensor
