#pragma once

#include "base/cpu.h"

namespace tacit::base {

/// Returns the kernels of an instruction set, out of those that a room has for each set.
template <class Kernels>
const Kernels& kernels_of(Isa isa, const Kernels& portable, const Kernels& avx2, const Kernels& avx512ifma) {
  return isa == Isa::avx512ifma ? avx512ifma : isa == Isa::avx2 ? avx2 : portable;
}

}  // namespace tacit::base
