#pragma once

#include <cstring>

#include "ring/simd/kernels.h"

// For instruction sets whose transform has no separate phases: everything belongs to the phase on tiles, of which there
// is one, the whole polynomial. Internal linkage, for files compiled for an instruction set.
namespace tacit::ring::simd {
namespace {

template <auto kForward, auto kInverse>
struct UntiledNtt {
  static unsigned log_rows(unsigned /*log_n*/) { return 0; }
  static void forward_tile(std::uint64_t* from, std::uint64_t* to, const NttWords& words, bool /*around*/) {
    std::memcpy(to, from, words.n * sizeof(std::uint64_t));
    kForward(to, words);
  }
  template <bool kLazy = false>
  static void forward_block(const std::uint64_t* tiled, std::size_t /*block*/, std::uint64_t* out,
                            const NttWords& words) {
    std::memcpy(out, tiled, words.n * sizeof(std::uint64_t));
  }
  static void inverse_block(const std::uint64_t* in, std::size_t /*block*/, std::uint64_t* tiled, const NttWords& words,
                            bool /*around*/) {
    std::memcpy(tiled, in, words.n * sizeof(std::uint64_t));
  }
  static void inverse_tile(const std::uint64_t* from, std::uint64_t* to, const NttWords& words) {
    std::memcpy(to, from, words.n * sizeof(std::uint64_t));
    kInverse(to, words);
  }

  static constexpr TiledNtt kKernels = {log_rows,      forward_tile,  forward_block,
                                        forward_block, inverse_block, inverse_tile};
};

}  // namespace
}  // namespace tacit::ring::simd
