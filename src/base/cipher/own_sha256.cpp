#include "base/cipher/own_sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/wipe.h"

namespace tacit::base {
namespace {

/// The first 32 bits behind the binary point of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kCubeRoots = [] {
  std::array<std::uint32_t, 64> roots{};
  std::size_t found = 0;
  for (std::uint64_t n = 2; found < roots.size(); ++n) {
    bool prime = true;
    for (std::uint64_t d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
    if (!prime) continue;
    // The largest r with r^3 <= n 2^96, by bits. r has 35 bits at the most, so r^3 has 105.
    __extension__ using Wide = unsigned __int128;
    const Wide cube = static_cast<Wide>(n) << 96;
    std::uint64_t root = 0;
    for (int bit = 34; bit >= 0; --bit) {
      const Wide tried = root | std::uint64_t{1} << bit;
      if (tried * tried * tried <= cube) root = static_cast<std::uint64_t>(tried);
    }
    roots[found++] = static_cast<std::uint32_t>(root);
  }
  return roots;
}();
static_assert(kCubeRoots[0] == 0x428a2f98 && kCubeRoots[63] == 0xc67178f2);

std::uint32_t big_endian(const std::byte* bytes) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = word << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return word;
}

}  // namespace

OwnSha256::~OwnSha256() {
  wipe(state_);
  wipe(waiting_);
}

void OwnSha256::add_block(const std::byte* block) {
  std::uint32_t w[64];
  for (std::size_t i = 0; i < 16; ++i) w[i] = big_endian(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t early = w[i - 15], late = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3) + w[i - 7] +
           (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  const auto round = [&w](std::size_t i, std::uint32_t a_, std::uint32_t b_, std::uint32_t c_, std::uint32_t& d_,
                          std::uint32_t e_, std::uint32_t f_, std::uint32_t g_, std::uint32_t& h_) {
    const std::uint32_t one = h_ + (std::rotr(e_, 6) ^ std::rotr(e_, 11) ^ std::rotr(e_, 25)) +
                              (g_ ^ (e_ & (f_ ^ g_))) + kCubeRoots[i] + w[i];
    d_ += one;
    h_ = one + (std::rotr(a_, 2) ^ std::rotr(a_, 13) ^ std::rotr(a_, 22)) + ((a_ & b_) | (c_ & (a_ | b_)));
  };
  for (std::size_t i = 0; i < 64; i += 8) {  // after eight rounds every variable has its name again
    round(i, a, b, c, d, e, f, g, h);
    round(i + 1, h, a, b, c, d, e, f, g);
    round(i + 2, g, h, a, b, c, d, e, f);
    round(i + 3, f, g, h, a, b, c, d, e);
    round(i + 4, e, f, g, h, a, b, c, d);
    round(i + 5, d, e, f, g, h, a, b, c);
    round(i + 6, c, d, e, f, g, h, a, b);
    round(i + 7, b, c, d, e, f, g, h, a);
  }
  const std::array<std::uint32_t, 8> sum{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < sum.size(); ++i) state_[i] += sum[i];
}

void OwnSha256::update(std::span<const std::byte> bytes) {
  std::size_t held = bytes_ % kBlockBytes;
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    if (held == 0 && bytes.size() >= kBlockBytes) {
      add_block(bytes.data());
      bytes = bytes.subspan(kBlockBytes);
      continue;
    }
    const std::size_t count = std::min(kBlockBytes - held, bytes.size());
    std::memcpy(waiting_.data() + held, bytes.data(), count);
    bytes = bytes.subspan(count);
    held = (held + count) % kBlockBytes;
    if (held == 0) add_block(waiting_.data());
  }
}

Digest OwnSha256::finish() {
  const std::uint64_t bits = 8 * bytes_;
  constexpr std::array<std::byte, kBlockBytes> kPadding{std::byte{0x80}};
  const std::size_t held = bytes_ % kBlockBytes;
  update(std::span(kPadding).first((held < 56 ? 56 : 120) - held));
  std::array<std::byte, 8> length;
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  update(length);
  Digest digest;
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

}  // namespace tacit::base
