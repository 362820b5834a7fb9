#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tacit::base {

/// AES of many blocks at once (FIPS 197). The state is bit-sliced: plane 8 p + b holds bit b of byte p of every block,
/// one lane per block. All steps are the same for all keys and data. 10 rounds for keys of 16 bytes, 14 for 32.
class SlicedAes {
 public:
  /// 128 lanes.
  using Plane = std::uint64_t __attribute__((vector_size(16)));
  static constexpr std::size_t kBlocks = 128, kWords = 2 * kBlocks;

  explicit SlicedAes(std::span<const std::uint8_t> key);
  ~SlicedAes();
  SlicedAes(const SlicedAes&) = delete;
  SlicedAes& operator=(const SlicedAes&) = delete;

  /// Encrypts kBlocks blocks in place.
  void encrypt(std::span<std::uint64_t, kWords> words);

 private:
  static constexpr std::size_t kPlanes = 128, kMostRounds = 14;
  using State = std::array<Plane, kPlanes>;

  void add_round_key(std::size_t round, State& state) const;
  void last_round();
  void middle_round(std::size_t round);

  std::size_t rounds_;
  std::array<std::array<std::uint64_t, kPlanes>, kMostRounds + 1> round_keys_;  ///< all bits of a word are equal
  State state_, next_;
};

}  // namespace tacit::base
