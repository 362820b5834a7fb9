#include "layout/tile_shape.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"

namespace tacit::layout {
namespace {

TEST(TileShape, NotationParsesAndPrints) {
  for (const char* text : {"{rows 10|4}", "{copy 64}", "{c 1|64 junk}", "{w 32|8 woven}", "{w 30|8 woven 6}{7}",
                           "{x copy 4|64}{n any|2}", "{b 5|16}{a 4|16}{copy 64}", "{1}"})
    EXPECT_EQ(TileShape::parse(text).to_string(), text);
  EXPECT_EQ(TileShape::parse(" { rows 10 | 4 junk }  {c 3}").to_string(), "{rows 10|4 junk}{c 3}");
  // Nothing is unknown where nothing is unused, and a tile count that follows from the size is not said.
  EXPECT_EQ(TileShape::parse("{8|4 junk}{w 32|8 woven 4}").to_string(), "{8|4}{w 32|8 woven}");
}

TEST(TileShape, CountsTilesSlotsAndStrides) {
  const TileShape shape = TileShape::parse("{a 10|4}{b 3}{c 9|2 woven}{copy 8}");
  EXPECT_EQ(shape.slots(), 64);
  EXPECT_EQ(shape.tiles(), 3 * 3 * 5);
  EXPECT_EQ(shape.sizes(), (Shape{10, 3, 9, 1}));
  EXPECT_EQ(shape.slot_stride(0), 16);
  EXPECT_EQ(shape.slot_stride(2), 8);
  EXPECT_EQ(shape.tile_stride(0), 15);
  EXPECT_TRUE(shape.leads(0));
  EXPECT_FALSE(shape.leads(2));
  EXPECT_EQ(shape.index_of("c"), 2);
  EXPECT_EQ(shape.with_replicated("a").to_string(), "{a copy 4}{b 3}{c 9|2 woven}{copy 8}");
  EXPECT_EQ(TileShape::parse("{any|4}{any|2}").of({10, 3}).to_string(), "{10|4}{3|2}");
}

TEST(TileShape, PlacesElementsByTheRulesOfItsDimensions) {
  const TileShape shape = TileShape::parse("{a 10|4}{w 6|4 woven}{x copy 2|4}");
  const Layout layout = shape.layout();
  EXPECT_EQ(layout.slots(), 64);
  EXPECT_EQ(layout.ciphertexts(), 6);
  for (Index a = 0; a < 10; ++a)
    for (Index w = 0; w < 6; ++w) {
      const Position at = layout.position_of(a * 6 + w);
      EXPECT_EQ(at.ciphertext, a / 4 * 2 + w % 2);
      EXPECT_EQ(at.slot, a % 4 * 16 + w / 2 * 4);
      EXPECT_EQ(layout.element_at(at.ciphertext, at.slot + 1), a * 6 + w);
      EXPECT_FALSE(layout.element_at(at.ciphertext, at.slot + 2));
    }
}

TileShape random_tile_shape(std::mt19937& random, Index slots) {
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::vector<TileDim> dims;
  for (int left = pick(1, 3); left >= 0; --left) {
    TileDim dim;
    dim.tile = left == 0 ? slots : std::min<Index>(slots, Index{1} << pick(0, 3));
    slots /= dim.tile;
    const int kind = pick(0, 4);
    dim.size = kind == 0 ? 1 : pick(1, static_cast<int>(2 * dim.tile) + 1);
    if (dim.size == 1) dim.copies = pick(0, 1) == 0 ? 1 : dim.tile;
    dim.interleaved = kind == 1;
    dim.unknown = kind == 2;
    dims.push_back(dim);
  }
  return TileShape(dims);
}

TEST(TileShape, RandomShapesRoundTripAndMaskWhatTheyHold) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const TileShape shape = random_tile_shape(random, 64);
    EXPECT_EQ(TileShape::parse(shape.to_string()), shape) << shape.to_string();
    const Layout layout = shape.layout();
    ASSERT_EQ(layout.slots(), 64);
    ASSERT_EQ(layout.ciphertexts(), shape.tiles());
    std::vector<double> tensor(static_cast<std::size_t>(element_count(shape.sizes())));
    std::iota(tensor.begin(), tensor.end(), 1.0);
    const auto packed = layout.pack(tensor);
    EXPECT_EQ(layout.unpack(packed), tensor) << shape.to_string();
    for (Index tile = 0; tile < shape.tiles(); ++tile) {
      const std::vector<double> mask = shape.mask(tile);
      for (std::size_t s = 0; s < mask.size(); ++s)
        EXPECT_EQ(mask[s] != 0, packed[static_cast<std::size_t>(tile)][s] != 0) << shape.to_string();
    }
  }
}

TEST(TileShape, RefusesWhatHoldsNothing) {
  for (const char* text : {"", "{", "{rows}", "{rows 0|4}", "{rows 4|3}", "{copy 3}", "{x copy 8|4}", "{5|4 hazy}",
                           "{5|4", "{5|4 woven 1}", "{5|4}}", "{copy}", "{99999999999999999999}", "{2|131072}",
                           "{1}{1}{1}{1}{1}{1}{1}{1}{1}", "{a b 3}"})
    EXPECT_THROW(TileShape::parse(text), base::InputError) << text;
  EXPECT_THROW(TileShape::parse("{any|4}").layout(), base::InputError);
  EXPECT_THROW(TileShape::parse("{any|4}").of({0}), base::InputError);
  EXPECT_THROW(TileShape::parse("{5|4}").of({6}), base::InputError);
  EXPECT_THROW(TileShape::parse("{a 5|4}").index_of("b"), base::InputError);
}

TEST(TileShape, DimensionsCountTilesAndPlaces) {
  const auto dim = [](const char* text) { return TileShape::parse(text).dim(0); };
  struct Case {
    const char* text;
    Index outer, places;
    bool replicated, unused;
  };
  for (const Case& c :
       {Case{"{10|4}", 3, 4, false, true}, Case{"{8|4}", 2, 4, false, false}, Case{"{3|4}", 1, 3, false, true},
        Case{"{10|4 woven}", 3, 4, false, true}, Case{"{4|4 woven 2}", 2, 2, false, true},
        Case{"{5|4 woven 3}", 3, 2, false, true}, Case{"{1|4}", 1, 1, false, true},
        Case{"{x copy 2|4}", 1, 2, false, true}, Case{"{copy 4}", 1, 4, true, false}, Case{"{1}", 1, 1, true, false},
        Case{"{5}", 5, 1, false, false}, Case{"{any|4}", 1, 0, false, true}}) {
    EXPECT_EQ(dim(c.text).outer(), c.outer) << c.text;
    EXPECT_EQ(dim(c.text).used_places(), c.places) << c.text;
    EXPECT_EQ(dim(c.text).replicated(), c.replicated) << c.text;
    EXPECT_EQ(dim(c.text).has_unused(), c.unused) << c.text;
  }
  const TileDim blocks = dim("{w 30|8 woven 6}").in_blocks(5);
  EXPECT_EQ(TileShape({blocks}).to_string(), "{w 5|8}");
  const TileShape shape = TileShape::parse("{a 10|4 junk}{w 30|8 woven 6}{1|2 junk}");
  EXPECT_TRUE(shape.has_unknowns());
  EXPECT_EQ(shape.without_unknowns().to_string(), "{a 10|4}{w 30|8 woven 6}{1|2}");
  EXPECT_FALSE(shape.without_unknowns().has_unknowns());
  EXPECT_EQ(shape.with_replicated("w").to_string(), "{a 10|4 junk}{w copy 8}{1|2 junk}");
  EXPECT_EQ(shape.with_replicated(2).to_string(), "{a 10|4 junk}{w 30|8 woven 6}{copy 2}");
}

TEST(TileShape, ARecipeLeavesASizeOpen) {
  const TileShape half = TileShape::parse("{any|4}{3|2}"), whole = TileShape::parse("{5|4}{3|2}");
  EXPECT_TRUE(half.is_recipe());
  EXPECT_TRUE(TileShape::parse("{any|4}{any|2}").is_recipe());
  EXPECT_FALSE(whole.is_recipe());
  EXPECT_EQ(half.of({5, 3}), whole);
  EXPECT_EQ(half.of({1, 3}), TileShape::parse("{1|4}{3|2}"));
  EXPECT_EQ(whole.of({5, 3}), whole);
  const auto refusal = [](const auto& body) { return base::refusal(body); };
  EXPECT_EQ(refusal([&] { static_cast<void>(half.layout()); }),
            "tile shape {any|4}{3|2}: a recipe holds no tensor; say the sizes first");
  EXPECT_EQ(refusal([&] { half.of({5}); }), "tile shape {any|4}{3|2}: a tensor of 1 dimensions [5] does not fit its 2");
  EXPECT_EQ(refusal([&] { half.of({0, 3}); }), "tile shape {any|4}{3|2}: a dimension of size 0 holds nothing");
  EXPECT_EQ(refusal([&] {
              half.of({5, 4});
            }),
            "tile shape {any|4}{3|2}: dimension 1 has size 3 and the tensor has 4; give a tensor of that size or write "
            "'any'");
}

TEST(TileShape, WhatDoesNotFitIsNamed) {
  const auto of = [](const TileDim& dim) { return base::refusal([&] { TileShape({dim}); }); };
  const std::string fine = base::kNotRefused, name(50, 'a');
  const char* const name_rule =
      "': a name has up to 50 letters, digits and '_', does not begin with a digit and is neither 'copy' nor 'any'";
  EXPECT_EQ(of({.name = name, .size = 2}), fine);
  EXPECT_EQ(of({.name = name + "b", .size = 2}), "tile shape: dimension 0 '" + name + name_rule);
  for (const char* wrong : {"copy", "any", "4x", "a-b"})
    EXPECT_EQ(of({.name = wrong, .size = 2}), std::string("tile shape: dimension 0 '") + wrong + name_rule);
  for (const char* good : {"copies", "x4", "_", "A_b"}) EXPECT_EQ(of({.name = good, .size = 2}), fine) << good;

  const Index largest = Index{1} << 40;
  EXPECT_EQ(TileShape({{.name = "", .size = largest, .tile = kMaxSlots}}).tiles(), kMaxCiphertexts);
  for (const Index size : {Index{-1}, largest + 1})
    EXPECT_EQ(of({.name = "", .size = size, .tile = kMaxSlots}),
              "tile shape: dimension 0: size " + std::to_string(size) + " is outside 1 to 2^40");
  EXPECT_EQ(of({.name = "", .size = kMaxCiphertexts + 1}),
            "tile shape: 16777217 tiles of 1 slots; at most 16777216 of 65536 are allowed");
  EXPECT_EQ(base::refusal([] { TileShape::parse("{65536|65536}{1|2}"); }),
            "tile shape: 1 tiles of 131072 slots; at most 16777216 of 65536 are allowed");
  for (const Index tile : {Index{0}, Index{3}, 2 * kMaxSlots})
    EXPECT_EQ(of({.name = "", .size = 2, .tile = tile}),
              "tile shape: dimension 0: a tile extent of " + std::to_string(tile) + " is no power of two up to 65536");
  for (const Index copies : {0, 3, 8})
    EXPECT_EQ(of({.name = "x", .size = 1, .tile = 4, .copies = copies}),
              "tile shape: dimension 0 'x': " + std::to_string(copies) +
                  " copies are no power of two up to the tile extent 4");
  EXPECT_EQ(of({.name = "x", .size = 1, .tile = 4, .copies = 4}), fine);
  EXPECT_EQ(of({.name = "x", .size = 5, .tile = 4, .copies = 2}),
            "tile shape: dimension 0 'x': 2 copies of 5 values; only one value has copies");

  const auto woven = [&](Index size, Index outer, bool interleaved = true) {
    TileDim dim{.name = "w", .size = size, .tile = 4};
    dim.interleaved = interleaved;
    dim.interleaved_outer = outer;
    return of(dim);
  };
  const char* const stated =
      "tile shape: dimension 0 'w': only a woven dimension of a known size above 1 states its tiles";
  for (const Index outer : {Index{0}, Index{3}, Index{4}, kMaxCiphertexts}) EXPECT_EQ(woven(10, outer), fine) << outer;
  for (const Index outer : {Index{-1}, Index{2}, kMaxCiphertexts + 1})
    EXPECT_EQ(woven(10, outer),
              "tile shape: dimension 0 'w': " + std::to_string(outer) + " tiles along it; 3 to 16777216 are allowed");
  EXPECT_EQ(woven(10, 4, false), stated);
  EXPECT_EQ(woven(1, 4), stated);
  EXPECT_EQ(woven(TileDim::kAnySize, 4), stated);
  EXPECT_EQ(woven(2, 1), fine);

  EXPECT_EQ(TileShape(std::vector<TileDim>(TileShape::kMaxDims)).rank(), 8);
  for (const std::size_t dims : {0, 9})
    EXPECT_EQ(base::refusal([&] { TileShape(std::vector<TileDim>(dims)); }),
              "tile shape: " + std::to_string(dims) + " dimensions; 1 to 8 are allowed");
  const TileShape shape = TileShape::parse("{a 5|4}{3|2}");
  for (const int i : {-1, 2})
    EXPECT_EQ(base::refusal([&] { static_cast<void>(shape.with_replicated(i)); }),
              "tile shape {a 5|4}{3|2}: there is no dimension " + std::to_string(i));
  for (const char* missing : {"b", ""})
    EXPECT_EQ(
        base::refusal([&] { static_cast<void>(shape.index_of(missing)); }),
        std::string("tile shape {a 5|4}{3|2}: it has no dimension '") + missing + "'; its dimensions are 'a', ''");
}

TEST(TileShape, DigitsAreThoseOfItsDimensions) {
  for (const auto& [shape, layout] : std::vector<std::pair<const char*, const char*>>{
           {"{copy 4}{3|4}", "[1,3] across() within(copy:4 d1:4/1) junk()"},
           {"{x copy 2|4}{5|4 junk}", "[1,5] across(d1:2/4) within(d0:2/1 copy:2 d1:4/1) junk(1)"},
           {"{w 6|4 woven}", "[6] across(d0:2/1) within(d0:4/2) junk()"},
           {"{5}", "[5] across(d0:5/1) within(copy:1) junk()"}}) {
    EXPECT_EQ(TileShape::parse(shape).layout().to_string(), layout);
    EXPECT_EQ(TileShape::parse(shape).layout(), Layout::parse(layout)) << shape;
  }
}

TEST(TileShape, MasksHaveOneNumberASlot) {
  const TileShape shape = TileShape::parse("{a 3|2}{b 3|4}");
  EXPECT_EQ(shape.mask(0), (std::vector<double>{1, 1, 1, 0, 1, 1, 1, 0}));
  EXPECT_EQ(shape.mask(1), (std::vector<double>{1, 1, 1, 0, 0, 0, 0, 0}));
  // Of five woven into two tiles the first has three.
  const TileShape woven = TileShape::parse("{5|4 woven}");
  EXPECT_EQ(woven.mask(0), (std::vector<double>{1, 1, 1, 0}));
  EXPECT_EQ(woven.mask(1), (std::vector<double>{1, 1, 0, 0}));
}

TEST(TileShape, TilesAreRoundedUp) {
  // One place more than two tiles.
  EXPECT_EQ(TileShape::parse("{9|4}").tiles(), 3);
  EXPECT_EQ(TileShape::parse("{9|4 woven}").dim(0).used_places(), 3);
  EXPECT_EQ(TileShape::parse("{10|4 woven 9}").dim(0).used_places(), 2);
  EXPECT_EQ(TileShape::parse("{w 25|8 woven 4}").to_string(), "{w 25|8 woven}");
  EXPECT_EQ(TileShape::parse("{w 24|8 woven 4}").to_string(), "{w 24|8 woven 4}");
  EXPECT_EQ(base::refusal([] { TileShape::parse("{w 9|4 woven 2}"); }),
            "tile shape: dimension 0 'w': 2 tiles along it; 3 to 16777216 are allowed");
}

TEST(TileShape, TextThatIsNoneIsNamedWithItsPlace) {
  std::string eight;
  for (int i = 0; i < 8; ++i) eight += "{1}";
  EXPECT_EQ(TileShape::parse(eight).rank(), 8);
  EXPECT_EQ(TileShape::parse("{copy 1}"), TileShape::parse("{1}"));
  struct Case {
    std::string text;
    const char* why;
    int place;
  };
  for (const Case& c :
       {Case{"", "expected '{'", 1}, Case{"{}", "expected a name or a size", 2},
        Case{"{rows}", "expected a number of at most 18 digits", 6},
        Case{"{0}", "a size of 0 holds nothing, and a recipe says 'any'; expected at least 1", 3},
        Case{"{copy 0}", "at least one copy", 8}, Case{"{a b 3}", "expected a size, 'any' or 'copy'", 5},
        Case{"{5|4 hazy}", "expected 'junk', 'woven' or '}'", 10}, Case{eight + "{1}", "more than 8 dimensions", 28}})
    EXPECT_EQ(base::refusal([&] { TileShape::parse(c.text); }),
              std::string("tile shape '") + c.text + "': " + c.why + " at character " + std::to_string(c.place));
}

}  // namespace
}  // namespace tacit::layout
