#include "ring/uniform_row.h"

#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/cipher/cipher.h"
#include "base/error.h"
#include "ring/simd/dispatch.h"

namespace tacit::ring {

/// AES-128 of single blocks.
struct UniformRow::Cipher {
  std::unique_ptr<base::BlockCipher> blocks;

  /// `key` is the first words of the round keys.
  explicit Cipher(const std::uint64_t* key) {
    base::BlockCipher::Key bytes;
    std::memcpy(bytes.data(), key, bytes.size());
    blocks = base::ciphers().block(bytes);
  }
};

namespace {

/// How far draws are shifted, and the multiple of q that they must be below.
std::pair<unsigned, std::uint64_t> shift_and_multiple(const Modulus& q) {
  constexpr int kRejected = 10;  // one draw in 2^10 at most
  constexpr std::uint64_t kMostBits = 52;
  for (std::uint64_t bits = q.words().bits;; ++bits) {
    const std::uint64_t all = std::uint64_t{1} << bits;
    if (bits == kMostBits || all % q.value() <= all >> kRejected)
      return {static_cast<unsigned>(64 - bits), all / q.value()};
  }
}

}  // namespace

UniformRow::UniformRow(const base::Seed& seed, std::uint64_t row, const Modulus& q, base::Isa isa)
    : modulus_(q), kernels_(&simd::kernels_of(isa)) {
  TACIT_ASSERT(q.words().bits >= 20);
  static_assert(std::endian::native == std::endian::little, "streams are defined little-endian");
  words_.modulus = q.words();
  words_.row = row;
  std::tie(words_.shift, words_.multiple) = shift_and_multiple(q);
  constexpr std::size_t kKeyBytes = 16;
  std::memcpy(words_.round_keys, seed.data(), kKeyBytes);
  std::memcpy(words_.tweak, seed.data() + kKeyBytes, sizeof words_.tweak);
  if (kernels_->uniform == nullptr) {
    cipher_ = std::make_unique<Cipher>(words_.round_keys);
  } else {
    kernels_->uniform_prepare(words_);
  }
}

UniformRow::~UniformRow() = default;
UniformRow::UniformRow(const UniformRow& other)
    : modulus_(other.modulus_), words_(other.words_), kernels_(other.kernels_) {
  if (other.cipher_) cipher_ = std::make_unique<Cipher>(words_.round_keys);
}

void UniformRow::fill(std::size_t at, std::span<std::uint64_t> out) const {
  TACIT_ASSERT(at % 8 == 0 && out.size() % 8 == 0);
  if (cipher_) return fill_by_library(at, out);
  kernels_->uniform(out.data(), at, out.size(), words_);
}

void UniformRow::fill_by_library(std::size_t at, std::span<std::uint64_t> out) const {
  const auto counter = [&](std::size_t position, std::uint64_t draw, std::uint64_t* block) {
    block[0] = (position / 2 + (draw << 32)) ^ words_.tweak[0];
    block[1] = words_.row ^ words_.tweak[1];
  };
  for (std::size_t i = 0; i < out.size(); i += 2) counter(at + i, 0, &out[i]);
  cipher_->blocks->encrypt(out);
  const std::uint64_t end = (words_.multiple * modulus_.value()) << words_.shift;
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::uint64_t draw = 1; out[i] >= end; ++draw) {
      std::uint64_t block[2];
      counter(at + i, draw, block);
      cipher_->blocks->encrypt(block);
      out[i] = block[(at + i) % 2];
    }
    out[i] = modulus_.reduce(out[i] >> words_.shift);
  }
}

}  // namespace tacit::ring
