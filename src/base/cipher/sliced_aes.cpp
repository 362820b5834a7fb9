#include "base/cipher/sliced_aes.h"

#include <bit>
#include <cstring>

#include "base/cipher/tower_field.h"
#include "base/wipe.h"

namespace tacit::base {
namespace {

static_assert(std::endian::native == std::endian::little, "blocks are read as little-endian words");

constexpr std::size_t kBytes = 16, kBits = 8;

/// Transposes two 64 x 64 matrices of bits, one in each lane of the planes.
void transpose(SlicedAes::Plane* rows) {
  std::uint64_t mask = 0x00000000FFFFFFFF;
  for (unsigned step = 32; step != 0; step >>= 1, mask ^= mask << step) {
    for (unsigned row = 0; row < 64; row = (row + step + 1) & ~step) {
      const SlicedAes::Plane swapped = ((rows[row] >> step) ^ rows[row + step]) & mask;
      rows[row] ^= swapped << step;
      rows[row + step] ^= swapped;
    }
  }
}

/// Blocks 0 to 63 are in the first lanes, and blocks 64 to 127 in the second ones. The first words of the blocks make
/// planes 0 to 63.
void to_planes(const std::uint64_t* words, SlicedAes::Plane* planes) {
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::size_t block = 0; block < 64; ++block)
      planes[64 * half + block] = SlicedAes::Plane{words[2 * block + half], words[2 * (64 + block) + half]};
    transpose(planes + 64 * half);
  }
}

void from_planes(SlicedAes::Plane* planes, std::uint64_t* words) {
  for (std::size_t half = 0; half < 2; ++half) {
    transpose(planes + 64 * half);
    for (std::size_t block = 0; block < 64; ++block) {
      words[2 * block + half] = planes[64 * half + block][0];
      words[2 * (64 + block) + half] = planes[64 * half + block][1];
    }
  }
}

/// The S-box of the four bytes of a word.
std::uint32_t substituted(std::uint32_t word) {
  std::uint32_t bits[kBits] = {};
  for (unsigned b = 0; b < kBits; ++b)
    for (unsigned i = 0; i < 4; ++i) bits[b] |= (word >> (8 * i + b) & 1) << i;
  tower::substitute(bits);
  std::uint32_t result = 0;
  for (unsigned b = 0; b < kBits; ++b)
    for (unsigned i = 0; i < 4; ++i) result |= (bits[b] >> i & 1) << (8 * i + b);
  return result;
}

/// The byte of the state that ShiftRows moves to byte `row + 4 column`.
constexpr std::size_t shifted(std::size_t row, std::size_t column) { return row + 4 * ((column + row) % 4); }

}  // namespace

SlicedAes::SlicedAes(std::span<const std::uint8_t> key) : rounds_(key.size() / 4 + 6) {
  constexpr std::size_t kMostWordsOfKey = 4 * (kMostRounds + 1);
  std::array<std::uint32_t, kMostWordsOfKey> words{};
  const std::size_t of_key = key.size() / 4, all = 4 * (rounds_ + 1);
  std::memcpy(words.data(), key.data(), key.size());
  std::uint32_t constant = 1;
  for (std::size_t i = of_key; i < all; ++i) {
    std::uint32_t word = words[i - 1];
    if (i % of_key == 0) {
      word = substituted(std::rotr(word, 8)) ^ constant;
      constant = constant << 1 ^ (constant >> 7) * 0x11B;
    } else if (of_key > 6 && i % of_key == 4) {
      word = substituted(word);
    }
    words[i] = words[i - of_key] ^ word;
  }
  for (std::size_t round = 0; round <= rounds_; ++round)
    for (std::size_t bit = 0; bit < kPlanes; ++bit)
      round_keys_[round][bit] = std::uint64_t{0} - (words[4 * round + bit / 32] >> bit % 32 & 1);
  zeroise(words.data(), sizeof words);
}

SlicedAes::~SlicedAes() {
  zeroise(round_keys_.data(), sizeof round_keys_);
  zeroise(state_.data(), sizeof state_);
  zeroise(next_.data(), sizeof next_);
}

void SlicedAes::add_round_key(std::size_t round, State& state) const {
  for (std::size_t i = 0; i < kPlanes; ++i) state[i] ^= round_keys_[round][i];
}

void SlicedAes::last_round() {
  for (std::size_t column = 0; column < 4; ++column)
    for (std::size_t row = 0; row < 4; ++row)
      std::memcpy(&next_[kBits * (row + 4 * column)], &state_[kBits * shifted(row, column)], kBits * sizeof(Plane));
  add_round_key(rounds_, next_);
}

void SlicedAes::middle_round(std::size_t round) {
  for (std::size_t column = 0; column < 4; ++column) {
    const Plane* const in[4] = {&state_[kBits * shifted(0, column)], &state_[kBits * shifted(1, column)],
                                &state_[kBits * shifted(2, column)], &state_[kBits * shifted(3, column)]};
    Plane all[kBits];
    for (std::size_t b = 0; b < kBits; ++b) all[b] = in[0][b] ^ in[1][b] ^ in[2][b] ^ in[3][b];
    for (std::size_t row = 0; row < 4; ++row) {
      const Plane *const here = in[row], *const below = in[(row + 1) % 4];
      const std::size_t at = kBits * (row + 4 * column);
      const Plane carry = here[7] ^ below[7];
      for (std::size_t b = 0; b < kBits; ++b) {
        // Twice the sum of the two bytes: its bits move up, and the bit that leaves comes back at 0, 1, 3 and 4.
        Plane doubled = b == 0 ? carry : here[b - 1] ^ below[b - 1];
        if (b == 1 || b == 3 || b == 4) doubled ^= carry;
        next_[at + b] = here[b] ^ all[b] ^ doubled ^ round_keys_[round][at + b];
      }
    }
  }
}

void SlicedAes::encrypt(std::span<std::uint64_t, kWords> words) {
  to_planes(words.data(), state_.data());
  add_round_key(0, state_);
  for (std::size_t round = 1; round <= rounds_; ++round) {
    for (std::size_t byte = 0; byte < kBytes; ++byte) tower::substitute(&state_[kBits * byte]);
    if (round == rounds_)
      last_round();
    else
      middle_round(round);
    state_ = next_;
  }
  from_planes(state_.data(), words.data());
}

}  // namespace tacit::base
