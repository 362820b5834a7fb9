// An image whose rows and columns are interleaved: neighbours lie in different ciphertexts at the same slot, so that
// most filter taps read another ciphertext as it is. A stride that divides the tiles costs nothing.

#include <tacit/tile.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  namespace tile = tacit::tile;
  const char* requirement = "slots 4096, depth 1, fraction 30 bits, integer 8 bits, security 128";
  const std::int64_t size = 32, taps = 3, stride = 2, result_size = (size - taps) / stride + 1;
  std::vector<double> image, filter;
  for (std::int64_t i = 0; i < size * size; ++i) image.push_back(std::sin(0.05 * static_cast<double>(i)));
  for (std::int64_t i = 0; i < taps * taps; ++i) filter.push_back(0.1 * static_cast<double>(i - 4));

  const tile::Shape interleaved("{c 1}{y 32|8 woven}{x 32|8 woven}{copy 64}");
  const auto convolution = [&](const tile::Session& session, std::int64_t step) {
    return tile::convolve(tile::encrypt(session, interleaved, {1, size, size, 1}, image), {1, 1, taps, taps}, filter,
                          step);
  };
  const auto plain_stride = tile::Session::cost(requirement), rehearsal = tile::Session::cost(requirement);
  convolution(plain_stride, 1);
  convolution(rehearsal, stride);
  std::printf("rotations: %lld at stride 1, %lld at stride 2\n", static_cast<long long>(plain_stride.cost().rotations),
              static_cast<long long>(rehearsal.cost().rotations));
  const auto result = convolution(tile::Session::encrypted(requirement, rehearsal), stride);
  const auto values = result.decrypt();
  double worst = 0;
  for (std::int64_t y = 0; y < result_size; ++y)
    for (std::int64_t x = 0; x < result_size; ++x) {
      double expected = 0;
      for (std::int64_t i = 0; i < taps; ++i)
        for (std::int64_t j = 0; j < taps; ++j)
          expected += filter[static_cast<std::size_t>(i * taps + j)] *
                      image[static_cast<std::size_t>((y * stride + i) * size + x * stride + j)];
      worst = std::max(worst, std::abs(values[static_cast<std::size_t>(y * result_size + x)] - expected));
    }
  std::printf("%s, largest error %.1e\n", result.shape().to_string().c_str(), worst);
  return worst < 1e-3 && plain_stride.cost().rotations == 20 ? 0 : 1;
}
