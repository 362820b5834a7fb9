// The same 5 x 6 matrix in tiles of every shape: how many ciphertexts it takes.

#include <tacit/tile.h>

#include <cstdio>
#include <string>

int main() {
  namespace tile = tacit::tile;
  const std::int64_t expected[] = {5, 3, 4, 3, 6};
  bool right = true;
  for (int rows = 0; rows <= 4; ++rows) {
    const tile::Shape shape("{rows 5|" + std::to_string(1 << rows) + "}{columns 6|" + std::to_string(16 >> rows) + "}");
    std::printf("%-26s %lld tiles of %lld slots\n", shape.to_string().c_str(), static_cast<long long>(shape.tiles()),
                static_cast<long long>(shape.slots()));
    right = right && shape.tiles() == expected[rows];
  }
  // One value in all places of a dimension meets every row.
  const tile::Shape weights = tile::Shape("{rows 5|4}{columns 6|4}").with_replicated(0);
  std::printf("weights: %s\n", weights.to_string().c_str());
  return right && weights.to_string() == "{rows copy 4}{columns 6|4}" ? 0 : 1;
}
