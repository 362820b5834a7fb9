#pragma once

#include "ring/simd/kernels.h"

namespace tacit::ring::simd {

extern const Kernels kPortableKernels;

}  // namespace tacit::ring::simd
