#include <numeric>

#include "layout/tile_shape.h"
#include "mutate_bytes.h"
#include "target.h"

namespace tacit::fuzz {

using layout::Index;
using layout::TileShape;

namespace {
constexpr Index kFewNumbers = 1 << 14;
}

std::string_view target_name() { return "tile_shape"; }

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  for (const char* text :
       {"{rows 10|4}", "{rows 10}", "{copy 64}", "{x copy 4|64}", "{c 1|64 junk}", "{rows any|4}{c 16|16}",
        "{w 32|8 woven}", "{w 30|8 woven 4}", "{a 10|4}{b 3|4 junk}{copy 2}", "{n 7|8}{w 9|2 woven}{c 5}"})
    all.push_back(bytes_of(text));
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_text(from, other, random); }

/// A shape says the same when it is written again; its layout has its tiles and slots, and what is packed comes back.
void check(std::span<const std::uint8_t> bytes) {
  const TileShape shape = TileShape::parse(text_of(bytes));
  require(TileShape::parse(shape.to_string()) == shape, "a tile shape reads as it was written");
  if (shape.is_recipe()) return;
  const layout::Layout layout = shape.layout();
  require(layout.slots() == shape.slots() && layout.ciphertexts() == shape.tiles(), "a layout has the shape's tiles");
  const Index elements = layout::element_count(layout.shape());
  if (elements > kFewNumbers || shape.slots() * shape.tiles() > kFewNumbers) return;
  std::vector<double> tensor(static_cast<std::size_t>(elements));
  std::iota(tensor.begin(), tensor.end(), 1);
  require(layout.unpack(layout.pack(tensor)) == tensor, "what was packed comes back");
  for (Index tile = 0; tile < shape.tiles(); ++tile)
    require(shape.mask(tile).size() == static_cast<std::size_t>(shape.slots()), "a mask has the slots of a tile");
}

}  // namespace tacit::fuzz
