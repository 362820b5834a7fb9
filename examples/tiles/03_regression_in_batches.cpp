// Many inputs against one weight vector, in the clear first: rows of a tile are inputs, columns are features. The sum
// over the features leaves unknown values behind; they never reach a result.

#include <tacit/tile.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  namespace tile = tacit::tile;
  const char* requirement = "slots 4096, depth 1, fraction 35 bits, integer 8 bits, security 128";
  const std::int64_t inputs = 200, features = 30;
  std::vector<double> x, w;
  for (std::int64_t i = 0; i < inputs * features; ++i) x.push_back(std::sin(static_cast<double>(i)));
  for (std::int64_t i = 0; i < features; ++i) w.push_back(1.0 / static_cast<double>(i + 1));

  const tile::Shape rows("{n any|256}{d any|16}");
  const auto regression = [&](const tile::Session& session) {
    const tile::Plain weights(session, rows.with_replicated(0), {1, features}, w);
    return tile::multiply_sum(tile::encrypt(session, rows, {inputs, features}, x), weights, 1);
  };
  const auto rehearsal = tile::Session::cost(requirement);
  regression(rehearsal);
  const auto clear = regression(tile::Session::clear(requirement));
  const auto encrypted = regression(tile::Session::encrypted(requirement, rehearsal));
  std::printf("result %s\n", encrypted.shape().to_string().c_str());
  double worst = 0;
  const auto a = clear.decrypt(), b = encrypted.decrypt();
  for (std::size_t i = 0; i < a.size(); ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < w.size(); ++j) expected += x[i * w.size() + j] * w[j];
    worst = std::max({worst, std::abs(a[i] - expected), std::abs(b[i] - expected)});
  }
  std::printf("200 results, largest error %.1e\n", worst);
  return worst < 1e-4 && encrypted.shape().to_string() == "{n 200|256}{d 1|16 junk}" ? 0 : 1;
}
