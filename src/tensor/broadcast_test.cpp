#include "tensor/broadcast.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tensor/operators.h"
#include "tensor/random_tiles_for_test.h"
#include "tensor/session.h"

// What the shape of a result says of the places beyond its elements. That they hold it is tested in operators_test.cpp.
namespace tacit::tensor {
namespace {

TEST(Broadcast, ResultsKnowAsMuchAsTheirOperandsSay) {
  struct Case {
    const char *a, *b, *sum, *product;
  };
  for (const Case& c :
       {Case{"{x 5|8}", "{x 5|8}", "{x 5|8}", "{x 5|8}"},
        // Zeros of one side make zeros of a product.
        Case{"{x 5|8 junk}", "{x 5|8}", "{x 5|8 junk}", "{x 5|8}"},
        Case{"{x 5|8 junk}", "{x 5|8 junk}", "{x 5|8 junk}", "{x 5|8 junk}"},
        Case{"{x 5|8}", "{copy 8}", "{x 5|8 junk}", "{x 5|8}"},
        Case{"{x 5|8 junk}", "{copy 8}", "{x 5|8 junk}", "{x 5|8 junk}"},
        Case{"{x 8|8}", "{copy 8}", "{x 8|8}", "{x 8|8}"},
        // Of copies, as many as both have.
        Case{"{x copy 4|8}", "{copy 8}", "{x copy 4|8 junk}", "{x copy 4|8}"},
        Case{"{x 1|8}", "{copy 8}", "{x 1|8 junk}", "{x 1|8}"}, Case{"{copy 8}", "{copy 8}", "{copy 8}", "{copy 8}"},
        Case{"{x 1|8 junk}", "{copy 8}", "{x 1|8 junk}", "{x 1|8 junk}"},
        // A name of either side, and the weaving of the larger one.
        Case{"{5|8}", "{x 5|8}", "{x 5|8}", "{x 5|8}"}, Case{"{y 5|8}", "{x 5|8}", "{y 5|8}", "{y 5|8}"},
        Case{"{copy 8}", "{x 20|8 woven}", "{x 20|8 woven junk}", "{x 20|8 woven}"},
        Case{"{x 20|8 woven 4}", "{copy 8}", "{x 20|8 woven 4 junk}", "{x 20|8 woven 4}"},
        Case{"{x 1}", "{x 20}", "{x 20}", "{x 20}"},
        // Unknowns of each side in a dimension of its own: where both are out of range, no zero covers them.
        Case{"{x 5|8 junk}{y 3|8}", "{x 5|8}{y 3|8 junk}", "{x 5|8 junk}{y 3|8 junk}", "{x 5|8}{y 3|8 junk}"},
        // Of such slots the fewer dimensions are named.
        Case{"{x 3|4 junk}{y 3|4}{z 3|4}", "{x 3|4}{y 3|4 junk}{z 3|4 junk}", "{x 3|4 junk}{y 3|4 junk}{z 3|4 junk}",
             "{x 3|4 junk}{y 3|4}{z 3|4}"},
        Case{"{x 3|4}{y 3|4 junk}{z 3|4 junk}", "{x 3|4 junk}{y 3|4}{z 3|4}", "{x 3|4 junk}{y 3|4 junk}{z 3|4 junk}",
             "{x 3|4 junk}{y 3|4}{z 3|4}"},
        Case{"{x 5|8 junk}{y 3|8}", "{x 5|8}{y 3|8}", "{x 5|8 junk}{y 3|8}", "{x 5|8}{y 3|8}"},
        Case{"{x 5|8}{y 3|8}", "{x 5|8 junk}{y 3|8 junk}", "{x 5|8 junk}{y 3|8 junk}", "{x 5|8}{y 3|8}"},
        Case{"{x 5|8 junk}{y 3|8 junk}", "{x 5|8}{y 3|8}", "{x 5|8 junk}{y 3|8 junk}", "{x 5|8}{y 3|8}"}}) {
    const TileShape a = TileShape::parse(c.a), b = TileShape::parse(c.b);
    EXPECT_EQ(broadcast_shape(a, b, Mixing::sum, "add").to_string(), c.sum) << c.a << " + " << c.b;
    EXPECT_EQ(broadcast_shape(a, b, Mixing::product, "multiply").to_string(), c.product) << c.a << " * " << c.b;
  }
}

TEST(Broadcast, SumsLeaveWhatTheirPlacesHeld) {
  const SessionPtr session = clear_session(64, 3);
  const auto summed = [&](const char* text, int dim, FoldOptions options = {}) {
    const TileShape shape = TileShape::parse(text);
    Dense dense{shape.sizes(), {}};
    dense.values.assign(static_cast<std::size_t>(layout::element_count(dense.sizes)), 1.0);
    const TileTensor result = sum(encrypt(session, shape, dense, 3), dim, options);
    const std::string shape_text = result.shape().to_string();
    return result.pending_dim() < 0
               ? shape_text
               : fmt::format("{} {}:{}", shape_text, result.pending_dim(), result.pending_places());
  };
  EXPECT_EQ(summed("{x 5|8}{y 3|8}", 1), "{x 5|8}{y 1|8 junk}");
  EXPECT_EQ(summed("{x 5|8}{y 8|8}", 1), "{x 5|8}{y 1|8 junk}");
  EXPECT_EQ(summed("{x 5|8}{y 3|8}", 1, {true, 1}), "{x 5|8}{y 1|8 junk}");
  // The first dimension turns round within a tile: copies can be made later, or are made at once.
  EXPECT_EQ(summed("{x 3|8}{y 3|8}", 0), "{x 1|8 junk}{y 3|8} 0:4");
  EXPECT_EQ(summed("{x 5|8}{y 3|8}", 0), "{x copy 8}{y 3|8}");
  EXPECT_EQ(summed("{x 3|8}{y 3|8}", 0, {true, 1}), "{x copy 8}{y 3|8}");
  // One place of every tile is used: nothing is folded, and nothing left.
  EXPECT_EQ(summed("{x 5|8}{y 4|8 woven 4}", 1), "{x 5|8}{y 1|8}");
  EXPECT_EQ(summed("{x 4|8 woven 4}{y 3|8}", 0), "{x 1|8}{y 3|8} 0:1");
  EXPECT_EQ(summed("{x 5}{y 3|64}", 0), "{x 1}{y 3|64}");
  EXPECT_EQ(summed("{x 1|8}{y 3|8}", 0), "{x 1|8}{y 3|8}");
}

// Of one side's copies, some lie where the other side has none: the sum is no zero there.
TEST(Broadcast, CopiesThatOneSideAloneHasAreNotTakenForZeros) {
  const SessionPtr session = clear_session(8, 3);
  const auto made = [&](const char* text) { return encrypt(session, TileShape::parse(text), {{1}, {2.0}}, 3); };
  struct Case {
    const char *a, *b, *sum, *product;
  };
  for (const Case& c : {Case{"{x 1|8}", "{x copy 4|8}", "{x 1|8 junk}", "{x 1|8}"},
                        Case{"{x copy 4|8}", "{x copy 2|8}", "{x copy 2|8 junk}", "{x copy 2|8}"},
                        Case{"{x copy 4|8}", "{x copy 4|8}", "{x copy 4|8}", "{x copy 4|8}"}}) {
    const TileTensor total = add(made(c.a), made(c.b)), product = multiply(made(c.a), made(c.b));
    EXPECT_EQ(total.shape().to_string(), c.sum);
    EXPECT_EQ(product.shape().to_string(), c.product);
    testing::expect_holds(total, {{1}, {4.0}});
    testing::expect_holds(product, {{1}, {4.0}});
    testing::expect_holds(replicate(clear_unknowns(total), 0), {{1}, {4.0}});
  }
}

// A tile extent of 1: the one tile of a value is read for every tile of the other, those that hold nothing included.
TEST(Broadcast, OneTileReachesTheTilesThatHoldNothing) {
  const TileShape wide = TileShape::parse("{x 2 woven 3}"), one = TileShape::parse("{x 1}");
  EXPECT_EQ(broadcast_shape(wide, one, Mixing::sum, "add").to_string(), "{x 2 woven 3 junk}");
  EXPECT_EQ(broadcast_shape(one, wide, Mixing::sum, "add").to_string(), "{x 2 woven 3 junk}");
  EXPECT_EQ(broadcast_shape(wide, one, Mixing::product, "multiply").to_string(), "{x 2 woven 3}");
}

TEST(Broadcast, ATensorStaysPendingAtALowerLevel) {
  const SessionPtr session = clear_session(64, 3);
  const auto lower = [&](const char* text, int dim) {
    const TileShape shape = TileShape::parse(text);
    Dense dense{shape.sizes(), {}};
    dense.values.assign(static_cast<std::size_t>(layout::element_count(dense.sizes)), 1.0);
    const TileTensor result = lowered(sum(encrypt(session, shape, dense, 3), dim), 1);
    EXPECT_EQ(result.level(), 1);
    return fmt::format("{} {}:{}", result.shape().to_string(), result.pending_dim(), result.pending_places());
  };
  EXPECT_EQ(lower("{x 3|8}{y 3|8}", 0), "{x 1|8 junk}{y 3|8} 0:4");
  EXPECT_EQ(lower("{x 2}{y 3|64}", 1), "{x 2}{y 1|64 junk} 1:4");
  EXPECT_EQ(lower("{x 5|8}{y 3|8}", 1), "{x 5|8}{y 1|8 junk} -1:0");
}

}  // namespace
}  // namespace tacit::tensor
