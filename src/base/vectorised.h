#pragma once

/// On a function: the compiler makes it once more for processors with AVX2, and the loader chooses. Sums are in the
/// same order and without fused multiply-adds, so that results do not depend on the processor. For loops that a
/// compiler vectorises well; kernels of the ring have their own dispatch (ring/simd).
///
/// TACIT_VECTORISED_WIDE makes it for AVX-512 as well, which has fused multiply-adds: only for files that are compiled
/// with -ffp-contract=off.
#if defined(__x86_64__) && defined(__ELF__) && (defined(__GNUC__) || defined(__clang__))
#define TACIT_VECTORISED __attribute__((target_clones("avx2", "default")))
#define TACIT_VECTORISED_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TACIT_VECTORISED
#define TACIT_VECTORISED_WIDE
#endif
