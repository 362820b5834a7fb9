#pragma once

#include "base/cpu.h"

namespace tacit::base {

/// The kernels of an instruction set, of those that a room has for each.
template <class Kernels>
const Kernels& kernels_of(Isa isa, const Kernels& portable, const Kernels& avx2, const Kernels& avx512ifma) {
  switch (isa) {
    case Isa::avx512ifma: return avx512ifma;
    case Isa::avx2: return avx2;
    case Isa::portable: break;
  }
  return portable;
}

}  // namespace tacit::base
