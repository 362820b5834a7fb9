#pragma once

#include "base/cpu.h"

namespace tacit::base {

/// The kernels of an instruction set, of those that a room has for each.
template <class Kernels>
const Kernels& kernels_of(Isa isa, const Kernels& portable, const Kernels& avx2, const Kernels& avx512ifma) {
  return isa == Isa::avx512ifma ? avx512ifma : isa == Isa::avx2 ? avx2 : portable;
}

}  // namespace tacit::base
