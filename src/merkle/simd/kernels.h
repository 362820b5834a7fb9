#pragma once

#include <cstddef>
#include <cstdint>

#include "merkle/rescue_constants.h"

namespace tacit::merkle::simd {

/// The kernels of one instruction set. Inputs are any representatives, outputs are canonical. Each vector lane holds a
/// separate state, so that many states at once cost far less than one by one.
struct Kernels {
  /// Permutes `count` states of 12 words each, in place.
  void (*permute)(const RoundConstants& constants, std::uint64_t* states, std::size_t count);
  /// Merges `count` pairs of digests. `children` holds 8 words per pair, and `parents` gets 4 words per pair. `parents`
  /// may start where `children` starts, as nothing is written before it was read. `capacity` holds the four words that
  /// the capacity starts with.
  void (*merge)(const RoundConstants& constants, const std::uint64_t* capacity, const std::uint64_t* children,
                std::uint64_t* parents, std::size_t count);
};

extern const Kernels kPortableKernels, kAvx2Kernels, kAvx512IfmaKernels;

}  // namespace tacit::merkle::simd
