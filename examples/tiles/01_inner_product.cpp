// One inner product: two vectors in one tile each, multiplied and summed.

#include <tacit/tile.h>

#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  namespace tile = tacit::tile;
  const char* requirement = "slots 4096, depth 1, fraction 35 bits, integer 8 bits, security 128";
  std::vector<double> u(100), v(100);
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = std::sin(0.1 * static_cast<double>(i));
    v[i] = std::cos(0.2 * static_cast<double>(i));
  }

  // The computation is written once. A shape says that 100 numbers lie in a tile of 4096 slots; the others are zero.
  const tile::Shape shape("{d any|4096}");
  const auto inner_product = [&](const tile::Session& session) {
    return tile::multiply_sum(tile::encrypt(session, shape, {100}, u), tile::encrypt(session, shape, {100}, v), 0);
  };

  // As a cost: no key, no time. The sum folds 128 places, not 4096, since the others hold nothing.
  const auto rehearsal = tile::Session::cost(requirement);
  inner_product(rehearsal);
  const tile::Cost cost = rehearsal.cost();
  std::printf("%lld product, %lld rotations, keys of %.1f MB\n", static_cast<long long>(cost.products),
              static_cast<long long>(cost.rotations), cost.key_bytes / 1e6);

  // On ciphertexts, with the keys that the rehearsal named.
  const tile::Tensor result = inner_product(tile::Session::encrypted(requirement, rehearsal));
  const double expected = std::inner_product(u.begin(), u.end(), v.begin(), 0.0);
  const double error = std::abs(result.decrypt()[0] - expected);
  std::printf("shape %s, result %.6f, error %.1e\n", result.shape().to_string().c_str(), result.decrypt()[0], error);
  return error < 1e-4 && cost.rotations == 7 && cost.products == 1 ? 0 : 1;
}
