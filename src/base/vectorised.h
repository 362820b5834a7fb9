#pragma once

/// On a function: the compiler makes it once more for processors with AVX2, and the loader chooses. Sums are in the
/// same order and without fused multiply-adds, so that results do not depend on the processor. For loops that a
/// compiler vectorises well; kernels of the ring have their own dispatch (ring/simd).
#if defined(__x86_64__) && defined(__ELF__) && (defined(__GNUC__) || defined(__clang__))
#define TACIT_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define TACIT_VECTORISED
#endif
