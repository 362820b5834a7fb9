#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu.h"
#include "ring/simd/modulus_words.h"

namespace tacit::guide {

// guide: table
/// What docs/add-a-kernel.md adds to the kernels of an instruction set. Canonical words in [0, q) in and out, n a
/// multiple of 8, so that every table gives equal bits.
struct Kernels {
  /// out = a / 2 modulo q, which is odd: a / 2 where a is even, (a + q) / 2 where it is odd. out may equal a.
  void (*halve)(std::uint64_t* out, const std::uint64_t* a, std::size_t n, const ring::simd::ModulusWords& q);
};
// guide: end

extern const Kernels kPortableKernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512IfmaKernels;

/// The kernels of one instruction set, which the processor must support: for comparing them in tests.
const Kernels& kernels_of(base::Isa isa);

}  // namespace tacit::guide
