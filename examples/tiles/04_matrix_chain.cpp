// Four matrices, one after the other. A sum over the first dimension ends replicated, ready for the next product; a sum
// over a later one leaves unknowns, which are cleared and replaced by copies.

#include <tacit/tile.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace tile = tacit::tile;

namespace {
std::vector<double> numbers(std::int64_t count, double seed) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(std::sin(seed + static_cast<double>(i)));
  return values;
}
}  // namespace

int main() {
  const char* requirement = "slots 8192, depth 4, fraction 35 bits, integer 8 bits, security 128";
  const auto m1 = numbers(5 * 4, 1), m2 = numbers(5 * 6, 2), m3 = numbers(7 * 6, 3), m4 = numbers(7 * 8, 4);
  const tile::Shape first("{any|16}{any|16}{copy 32}"), later("{any|16}{copy 16}{any|32}");
  const auto chain = [&](const tile::Session& session, bool print) {
    const auto tell = [&](const char* what, const tile::Tensor& t) {
      if (print) std::printf("%-14s %s, level %d\n", what, t.shape().to_string().c_str(), t.level());
    };
    const tile::Fold all{true, 1};
    auto x = tile::multiply_sum(tile::encrypt(session, first, {5, 4, 1}, m1, 4),
                                tile::encrypt(session, later, {5, 1, 6}, m2, 4), 0, all);
    tell("M1 M2", x);
    x = tile::multiply_sum(x, tile::encrypt(session, later, {7, 1, 6}, m3, 3), 2, all);
    tell("M1 M2 M3", x);
    x = tile::clear_unknowns(x);
    tell("cleared", x);
    x = tile::replicate(x, 2);
    tell("replicated", x);
    x = tile::multiply_sum(x, tile::encrypt(session, later, {7, 1, 8}, m4, 1), 0, all);
    tell("M1 M2 M3 M4", x);
    return x;
  };
  const auto rehearsal = tile::Session::cost(requirement);
  chain(rehearsal, false);
  const auto result = chain(tile::Session::encrypted(requirement, rehearsal), true).decrypt();
  // M1 is stored transposed, as are M2 to M4 where their rows lie along the last dimension.
  double worst = 0;
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t e = 0; e < 8; ++e) {
      double expected = 0;
      for (std::size_t b = 0; b < 5; ++b)
        for (std::size_t c = 0; c < 6; ++c)
          for (std::size_t d = 0; d < 7; ++d) expected += m1[b * 4 + a] * m2[b * 6 + c] * m3[d * 6 + c] * m4[d * 8 + e];
      worst = std::max(worst, std::abs(result[a * 8 + e] - expected));
    }
  std::printf("rotations %lld, largest error %.1e\n", static_cast<long long>(rehearsal.cost().rotations), worst);
  return worst < 1e-4 ? 0 : 1;
}
