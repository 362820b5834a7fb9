// The planner chooses the tiles of a matrix chain: it runs the computation as a cost in every packing.

#include <tacit/tile.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace tile = tacit::tile;

namespace {

std::string tiles(const char* size, std::int64_t extent) {
  return std::string("{") + size + "|" + std::to_string(extent) + "}";
}
std::string copies(std::int64_t extent) { return "{copy " + std::to_string(extent) + "}"; }

}  // namespace

int main() {
  const char* requirement = "slots 4096, depth 2, fraction 30 bits, integer 8 bits, security 128";
  std::vector<double> x(16 * 10), y(16 * 12), z(9 * 12);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::cos(static_cast<double>(i));
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = std::sin(2 * static_cast<double>(i));
  const auto chain = [&](const tile::Session& session, const tile::Sizes& t, tile::Fold fold) {
    const tile::Shape first(tiles("any", t[0]) + tiles("any", t[1]) + copies(t[2]));
    const tile::Shape later(tiles("any", t[0]) + copies(t[1]) + tiles("any", t[2]));
    const auto product = tile::multiply_sum(tile::encrypt(session, first, {16, 10, 1}, x, 2),
                                            tile::encrypt(session, later, {16, 1, 12}, y, 2), 0, fold);
    return tile::multiply_sum(product, tile::encrypt(session, later, {9, 1, 12}, z, 1), 2, fold);
  };

  tile::PlanRequest request;
  request.memory = 256e6;
  const tile::Plan plan = tile::plan(requirement, 3, request, [&](const auto& session, const auto& extents, auto fold) {
    chain(session, extents, fold);
    return 1;
  });
  std::printf("%lld packings priced in %.3f s\n", static_cast<long long>(plan.priced), plan.seconds);
  for (const auto& c : plan.best)
    std::printf("  %4lld x %4lld x %4lld, %d bits at once: %.2f ms, %.0f MB\n", static_cast<long long>(c.extents[0]),
                static_cast<long long>(c.extents[1]), static_cast<long long>(c.extents[2]), c.fold.hoist,
                c.latency * 1e3, c.memory / 1e6);
  if (plan.best.empty()) return 1;

  const auto& best = plan.best.front();
  const auto rehearsal = tile::Session::cost(requirement);
  chain(rehearsal, best.extents, best.fold);
  const auto result = chain(tile::Session::encrypted(requirement, rehearsal), best.extents, best.fold).decrypt();
  double worst = 0;
  for (std::size_t d = 0; d < 9; ++d)
    for (std::size_t a = 0; a < 10; ++a) {
      double expected = 0;
      for (std::size_t b = 0; b < 16; ++b)
        for (std::size_t c = 0; c < 12; ++c) expected += x[b * 10 + a] * y[b * 12 + c] * z[d * 12 + c];
      worst = std::max(worst, std::abs(result[d * 10 + a] - expected));
    }
  std::printf("largest error %.1e\n", worst);
  return worst < 1e-2 && plan.best.size() == 10 ? 0 : 1;
}
