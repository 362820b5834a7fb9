#include "layout/operators/movement.h"

#include <gtest/gtest.h>

#include "tensor/operators.h"
#include "tensor/session.h"
#include "tensor/small_session_for_test.h"

// What slices, joins and rotations cost. That they move what they should is tested in operators_test.cpp.
namespace tacit::tensor {
namespace {

TileTensor made(const SessionPtr& session, const char* text) {
  const TileShape shape = TileShape::parse(text);
  Dense dense{shape.sizes(), {}};
  for (Index e = 0; e < layout::element_count(dense.sizes); ++e) dense.values.push_back(static_cast<double>(e));
  return encrypt(session, shape, dense, kLevel);
}

void expect_made(const TileTensor& tensor, const char* shape, int levels) {
  EXPECT_EQ(tensor.shape().to_string(), shape);
  EXPECT_EQ(tensor.level(), kLevel - levels) << shape;
}

TEST(Movement, SlicesThatBeginOnATileAreFree) {
  const SessionPtr session = clear_session(64, kLevel);
  const TileTensor blocks = made(session, "{x 20|8}{y 3|8}"), woven = made(session, "{x 20|8 woven}{y 3|8}");
  expect_made(slice(blocks, 0, 0, 20), "{x 20|8}{y 3|8}", 0);
  expect_made(slice(blocks, 0, 8, 12), "{x 12|8}{y 3|8}", 0);
  expect_made(slice(blocks, 0, 16, 4), "{x 4|8}{y 3|8}", 0);
  expect_made(slice(blocks, 0, 8, 8), "{x 8|8}{y 3|8}", 0);
  // What follows is still there.
  expect_made(slice(blocks, 0, 8, 5), "{x 5|8 junk}{y 3|8}", 0);
  expect_made(slice(blocks, 1, 0, 2), "{x 20|8}{y 2|8 junk}", 0);
  expect_made(slice(blocks, 0, 8, 1), "{x 1|8 junk}{y 3|8}", 0);
  expect_made(slice(blocks, 0, 4, 16), "{x 16|8}{y 3|8}", 1);
  expect_made(slice(blocks, 1, 1, 2), "{x 20|8}{y 2|8}", 1);
  expect_made(slice(woven, 0, 0, 16), "{x 16|8 woven}{y 3|8}", 1);
  EXPECT_EQ(decrypt(slice(blocks, 0, 8, 1)).values, (std::vector<double>{24, 25, 26}));
}

TEST(Movement, TensorsThatFillTheirTilesAreJoinedForFree) {
  const SessionPtr session = clear_session(64, kLevel);
  const auto joined = [&](const char* a, const char* b, int dim) {
    return concat(made(session, a), made(session, b), dim);
  };
  expect_made(joined("{x 16|8}{y 3|8}", "{5|8}{y 3|8}", 0), "{x 21|8}{y 3|8}", 0);
  expect_made(joined("{x 8|8}{y 3|8}", "{x 8|8}{y 3|8}", 0), "{x 16|8}{y 3|8}", 0);
  expect_made(joined("{x 2}{y 3|64}", "{x 3}{y 3|64}", 0), "{x 5}{y 3|64}", 0);
  expect_made(joined("{x 5|8}{y 8|8}", "{x 5|8}{y 1|8}", 1), "{x 5|8}{y 9|8}", 0);
  expect_made(joined("{x 5|8}{y 3|8}", "{x 8|8}{y 3|8}", 0), "{x 13|8}{y 3|8}", 1);
  expect_made(joined("{x 8|8 woven}{y 3|8}", "{x 8|8}{y 3|8}", 0), "{x 16|8 woven}{y 3|8}", 1);
  expect_made(joined("{x 8|8}{y 3|8}", "{x 8|8 woven}{y 3|8}", 0), "{x 16|8}{y 3|8}", 1);
  expect_made(joined("{x 8|8}{y 3|8}", "{x 8|4}{y 3|16}", 0), "{x 16|8}{y 3|8}", 1);
  expect_made(joined("{x 8|8}{y copy 8}", "{x 8|8}{y 1|8}", 0), "{x 16|8}{y copy 8}", 1);
}

TEST(Movement, RotationsOfFullTilesTakeNoLevel) {
  const SessionPtr session = clear_session(64, kLevel);
  const auto rotated = [&](const char* text, int dim, Index steps, int levels) {
    expect_made(rotate(made(session, text), dim, steps), text, levels);
  };
  rotated("{x 8|8}{y 3|8}", 0, 3, 0);
  rotated("{x 16|8 woven}{y 3|8}", 0, -3, 0);
  rotated("{x 5}{y 3|64}", 0, 2, 0);
  rotated("{x 5|8}{y 3|8}", 0, 5, 0);  // all the way round
  rotated("{x 5|8}{y 3|8}", 0, 0, 0);
  rotated("{x 5|8}{y 3|8}", 0, 1, 1);   // unused slots would come in
  rotated("{x 16|8}{y 3|8}", 0, 1, 1);  // elements change tiles
  rotated("{x 3|8}{y 8|8}", 1, 1, 1);   // other rows would come in
  rotated("{x 15|8 woven}{y 3|8}", 0, 1, 1);
}

TEST(Movement, ARotationTurnsTheTilesThatItMustAlone) {
  const params::CkksLiteral literal{
      .name = "test", .log_n = 13, .q_bits = {50, 40, 40}, .p_bits = {50}, .log_scale = 40};
  const auto rotations = [&](const char* text, Index steps) {
    const auto cost = cost_session({literal, 0});
    const TileShape shape = TileShape::parse(text);
    rotate(encrypt(cost, shape, {shape.sizes(), {}}, 2), 0, steps);
    return cost->cost().work.rotations();
  };
  // One step moves every element to the next of two tiles, and those of the second to the next place of the first.
  EXPECT_EQ(rotations("{x 128|64 woven}{y 64|64}", 1), 1);
  EXPECT_EQ(rotations("{x 128|64 woven}{y 64|64}", 2), 2);
  EXPECT_EQ(rotations("{x 128|64 woven}{y 64|64}", 3), 2);
  EXPECT_EQ(rotations("{x 128|64 woven}{y 64|64}", 127), 1);
  EXPECT_EQ(rotations("{x 64|64}{y 64|64}", 5), 1);
  EXPECT_EQ(rotations("{x 64|64}{y 200|64}", 5), 4);  // of every tile of the others
  EXPECT_EQ(rotations("{x 5}{y 4096|4096}", 2), 0);
}

TEST(Movement, TilesThatAreReadAgainTakeMemoryOnce) {
  const SessionPtr session = clear_session(64, kLevel);
  const double tile = session->tile_bytes(kLevel);
  EXPECT_GT(tile, 0);
  const TileTensor three = made(session, "{x 20|8}{y 3|8}"), one = made(session, "{x 8|8}{y 3|8}");
  EXPECT_EQ(three.estimated_bytes(), 3 * tile);
  View view = one.view();
  view.extents[0] = 3;
  view.strides[0] = 0;
  EXPECT_EQ(TileTensor(session, three.shape(), view).estimated_bytes(), tile);
}

TEST(Movement, AJoinedTensorHoldsItsTilesOnce) {
  const SessionPtr session = clear_session(64, kLevel);
  const auto held = [&](const char* a, const char* b, int dim) {
    const TileTensor joined = concat(made(session, a), made(session, b), dim);
    EXPECT_EQ(joined.level(), kLevel);
    EXPECT_EQ(joined.view().count(), joined.shape().tiles());
    return joined.view().array->count();
  };
  EXPECT_EQ(held("{x 2}{y 3|64}", "{x 3}{y 3|64}", 0), 5);
  EXPECT_EQ(held("{x 5|8}{y 8|8}", "{x 5|8}{y 1|8}", 1), 2);
  EXPECT_EQ(held("{x 3}{y 64|64}", "{x 3}{y 1|64}", 1), 6);
}

}  // namespace
}  // namespace tacit::tensor
